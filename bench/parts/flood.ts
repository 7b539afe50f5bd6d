// What a flood from one key, or without a key, does to the fast path of a healthy key. Each load is measured against the quiet before it.

import { type ChildProcess, fork } from "node:child_process";
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { type Attack, attacks } from "./attack.ts";
import type { Configured } from "../gateway-on-workerd.ts";
import { type Measured, measure } from "../load.ts";
import type { Settings } from "../options.ts";
import type { Column, Findings, Row } from "../report.ts";
import type { Rig } from "../rig.ts";
import { configured, sampling } from "../sampling-load.ts";

const columns: readonly Column[] = [
  { key: "perSecond", title: "a second", digits: 0 },
  { key: "quiet", title: "quiet p99 ms", digits: 2 },
  { key: "loaded", title: "p99 ms under it", digits: 2 },
  { key: "p99Ratio", title: "ratio", digits: 2 },
  { key: "p50Ratio", title: "ratio of the p50", digits: 2 },
  { key: "failed", title: "failed", digits: 0 },
];

type Loaded = { readonly quiet: Measured; readonly loaded: Measured; readonly statuses: Readonly<Record<string, number>> };

export async function flood(rig: Rig, settings: Settings): Promise<Findings> {
  const { rounds, seconds, connections, short } = settings;
  const all = Object.keys(attacks) as Attack[];
  const names = short ? all.slice(0, 2) : all;
  // One for each load of each round, so that each has all of its limits.
  const attackers = Array.from({ length: rounds * names.length }, (_, index) => `bench-key-of-attacker-${index}`);
  const provider = await rig.provider();
  const server = await rig.worker("mcp-server");
  const served = await rig.gateway(withAttackers(provider.port, server.port, attackers));
  const healthy = (): Promise<Measured> => measure({ port: served.port, connections: connections?.[0] ?? 2, seconds, request: sampling });
  for (let warm = 0; warm < 2; warm += 1) await healthy();
  const results = new Map<Attack, Loaded[]>(names.map((name) => [name, []]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const [index, name] of names.entries()) {
      const quiet = await healthy();
      const under = await measureUnder(rig, { port: served.port, name, key: attackers[(round - 1) * names.length + index] ?? "" }, healthy);
      results.get(name)?.push({ quiet, ...under });
      console.error(
        `round ${round}/${rounds}, ${name}: p99 ${quiet.p99Ms.toFixed(2)} -> ${under.loaded.p99Ms.toFixed(2)} ms, ${under.loaded.failed} failed, ${JSON.stringify(under.statuses)}`,
      );
    }
  }
  const rows = [...results].map(([name, loaded]) => rowOf(name, loaded));
  return { tables: [{ title: "A healthy key under a flood", labels: ["load", "its answers"], columns, rows }] };
}

async function measureUnder(
  rig: Rig,
  { port, name, key }: { readonly port: number; readonly name: Attack; readonly key: string },
  healthy: () => Promise<Measured>,
): Promise<Omit<Loaded, "quiet">> {
  const child = fork(fileURLToPath(new URL("./attack.ts", import.meta.url)), [String(port), key, name]);
  rig.onEnd(() => child.kill("SIGKILL"));
  await reportOf(child);
  const loaded = await healthy();
  child.send("stop");
  return { loaded, statuses: (await reportOf(child)) as Record<string, number> }; // sent by attack.ts
}

const reportOf = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", (code) => reject(new Error(`the load ended by itself, with code ${code}`)));
  });

function rowOf(name: Attack, loaded: readonly Loaded[]): Row {
  const statuses: Record<string, number> = {};
  for (const each of loaded)
    for (const [status, count] of Object.entries(each.statuses)) statuses[status] = (statuses[status] ?? 0) + count;
  const answers = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
  return {
    labels: [name, answers.join(", ")],
    values: {
      perSecond: [attacks[name].perSecond],
      quiet: loaded.map((each) => each.quiet.p99Ms),
      loaded: loaded.map((each) => each.loaded.p99Ms),
      p99Ratio: loaded.map((each) => each.loaded.p99Ms / each.quiet.p99Ms),
      p50Ratio: loaded.map((each) => each.loaded.p50Ms / each.quiet.p50Ms),
      failed: [loaded.reduce((sum, each) => sum + each.loaded.failed, 0)],
    },
  };
}

function withAttackers(providerPort: number, serverPort: number, attackers: readonly string[]): Configured {
  const base = configured(`http://127.0.0.1:${providerPort}`);
  const open = { request: "allow", response: "allow" };
  const rule = (name: string, then: object): object => ({ name, when: { server: name }, then });
  return {
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
      servers: { servers: { bench: { url: `http://127.0.0.1:${serverPort}/mcp`, allowPrivate: true } } },
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
  };
}
