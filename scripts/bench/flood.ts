// node scripts/bench/flood.ts: what a flood from one key, or without a key, does to the fast path of a healthy key, on workerd itself. Each
// load is measured against the quiet before it, in several rounds; it prints a table of the ratios.

import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../local-gateway.ts";
import { type Attack, attacks } from "./attack.ts";
import { config, gateway, worker } from "./gateway-on-workerd.ts";
import { type Measured, measure } from "./load.ts";
import { configured, sampling } from "./sampling-load.ts";
import { type Served, bundle, serve } from "./workerd.ts";

const rounds = Number(process.env["ROUNDS"] ?? 5);
const seconds = Number(process.env["SECONDS"] ?? 4);
const connections = Number(process.env["CONNECTIONS"] ?? 2);
const only = process.env["ONLY"];

const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
const memory = mkdtempSync("/dev/shm/countersign-bench-");
const names = (Object.keys(attacks) as Attack[]).filter((name) => only === undefined || name.includes(only));
/** One for each load of each round, so that each has all of its limits. */
const attackers = Array.from({ length: rounds * names.length }, (_, index) => `bench-key-of-attacker-${index}`);

async function simple(name: string, entry: string): Promise<Served> {
  const port = await freePort();
  return serve(name, folder, port, config(`(name = "main", worker = ${worker(bundle(entry, folder), "")})`, port));
}
const [provider, server] = [
  await simple("provider", "scripts/bench/workers/provider.ts"),
  await simple("mcp", "scripts/bench/workers/mcp-server.ts"),
];
const base = configured(`http://127.0.0.1:${provider.port}`);
const open = { request: "allow", response: "allow" };
const rule = (name: string, then: object): object => ({ name, when: { server: name }, then });
const served = await gateway("memory", {
  folder,
  memory,
  configured: {
    documents: {
      ...base.documents,
      policy: {
        rules: [
          rule("refused", { ...open, request: "refuse" }),
          rule("reviewed", { ...open, request: "review" }),
          { name: "bench", when: {}, then: open },
        ],
        default: { request: "review", response: "review", reviewers: ["everyone"], deadlineSeconds: 600 },
        reviewers: { everyone: [{ name: "Ada" }] },
      },
      servers: { servers: { bench: { url: `http://127.0.0.1:${server.port}/mcp`, allowPrivate: true } } },
    },
    // With the default limits of a key.
    keys: {
      ...base.keys,
      ...Object.fromEntries(
        attackers.map((key, index) => [
          createHash("sha256").update(key).digest("hex"),
          { id: `key_a${index}`, name: "attacker", createdAt: 0 },
        ]),
      ),
    },
  },
});

const healthy = (): Promise<Measured> => measure({ port: served.port, connections, seconds, request: sampling });

async function under(name: Attack, attacker: string): Promise<{ measured: Measured; statuses: Record<string, number> }> {
  const child = fork(fileURLToPath(new URL("./attack.ts", import.meta.url)), [String(served.port), attacker, name]);
  await reported(child);
  const measured = await healthy();
  child.send("stop");
  return { measured, statuses: (await reported(child)) as Record<string, number> }; // sent by attack.ts
}
const reported = (child: ChildProcess): Promise<unknown> => new Promise((resolve) => child.once("message", resolve));

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const spread = (values: number[]): string =>
  `${median(values).toFixed(2)} (${Math.min(...values).toFixed(2)}-${Math.max(...values).toFixed(2)})`;

type Row = { readonly quiet: Measured; readonly loaded: Measured; readonly statuses: Record<string, number> };
const results = new Map<Attack, Row[]>();
try {
  for (let warm = 0; warm < 2; warm += 1) await healthy();
  for (let round = 1; round <= rounds; round += 1) {
    for (const [index, name] of names.entries()) {
      const quiet = await healthy();
      const { measured: loaded, statuses } = await under(name, attackers[(round - 1) * names.length + index] ?? "");
      results.set(name, [...(results.get(name) ?? []), { quiet, loaded, statuses }]);
      console.error(
        `round ${round}/${rounds}, ${name}: p99 ${quiet.p99Ms.toFixed(2)} -> ${loaded.p99Ms.toFixed(2)} ms, ${loaded.failed} failed, ${JSON.stringify(statuses)}`,
      );
    }
  }
} finally {
  for (const each of [served, provider, server]) await each.stop();
  for (const each of [folder, memory]) rmSync(each, { recursive: true, force: true });
}

const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
console.log(`At ${commit}: median of ${rounds} rounds of ${seconds} s (least to greatest), ${connections} connections of a healthy key.\n`);
console.log(
  "| load | a second | quiet p99 ms | p99 ms under it | ratio | ratio of the p50 | failed | its answers |\n|---|---|---|---|---|---|---|---|",
);
for (const [name, rows] of results) {
  const statuses: Record<string, number> = {};
  for (const row of rows) for (const [status, count] of Object.entries(row.statuses)) statuses[status] = (statuses[status] ?? 0) + count;
  const cells = [
    name,
    String(attacks[name].perSecond),
    spread(rows.map(({ quiet }) => quiet.p99Ms)),
    spread(rows.map(({ loaded }) => loaded.p99Ms)),
    spread(rows.map(({ quiet, loaded }) => loaded.p99Ms / quiet.p99Ms)),
    spread(rows.map(({ quiet, loaded }) => loaded.p50Ms / quiet.p50Ms)),
    String(rows.reduce((sum, { loaded }) => sum + loaded.failed, 0)),
    Object.entries(statuses)
      .map(([status, count]) => `${status}: ${count}`)
      .join(", "),
  ];
  console.log(`| ${cells.join(" | ")} |`);
}
