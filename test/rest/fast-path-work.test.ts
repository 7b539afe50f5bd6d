// The fast path's work stays what it is: counted (bench/counted-work.ts), since no ratio of times
// holds on a machine that does other things.

import { expect, test } from "vitest";
import { withCountedWork } from "../../bench/counted-work.ts";
import { work } from "../../bench/parts/work.ts";
import { type Row, readReport } from "../../bench/report.ts";
import { createRig } from "../../bench/rig.ts";

/** What a change may add before somebody has to say that it is worth that. */
const mostMore = 1.15;

const figuresOf = (tables: readonly { readonly rows: readonly Row[] }[], key: string): [string, number][] =>
  tables.flatMap(({ rows }) => rows.map(({ labels: [way = ""], values }): [string, number] => [way, values[key]?.[0] ?? Number.NaN]));

test("a request on the fast path takes no more than 15 % more work than bench/results/work.json says", async () => {
  const rig = createRig();
  try {
    const settings = { rounds: 1, seconds: 1, warmUpSeconds: 1, connections: null, short: false, base: null };
    const { tables } = await work(rig, settings);
    const committed = readReport("bench/results", "work").tables;
    const advice = "where it is worth it, commit what `npm run bench -- work` writes";
    const nodes = new Map(figuresOf(committed, "nodes"));
    for (const [way, now] of figuresOf(tables, "nodes"))
      expect(now / (nodes.get(way) ?? 0), `${way}: ${now.toFixed(0)} nodes, ${nodes.get(way)} committed; ${advice}`).toBeLessThan(mostMore);
  } finally {
    await rig.end();
  }
});

test("what runs is counted as often as it runs, and changes nothing else", () => {
  const source = `let log=[];const f=a=>a&&log.push(a),g=x=>({x});
    for(let i=0;i<3;i++)f(i);
    switch(log.length){case 2:log.push("two");break;default:log.push("other")}
    if(!log)log=1;else if(log.length===3)log.push(g(1)?"yes":"no");
    globalThis.logged=[log,log.length>2?1:2];`;
  const run = (text: string): { readonly logged: unknown; readonly work: number } => {
    const scope = { logged: undefined, workSoFar: () => 0 };
    new Function("globalThis", text)(scope);
    return { logged: scope.logged, work: scope.workSoFar() };
  };
  const { logged, work: nodes } = run(withCountedWork(source));
  expect(logged).toEqual(run(source).logged);
  expect(logged).toEqual([[1, 2, "two", "yes"], 1]);
  expect(nodes).toBeGreaterThan(0);
  expect(run(withCountedWork(source.replace("i<3", "i<6"))).work).toBeGreaterThan(nodes);
});
