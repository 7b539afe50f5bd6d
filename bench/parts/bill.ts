// What the platform bills: operations that were counted, times the list prices. Auto-approved
// requests, and reviews of an hour, beside two ways to wait that the gateway does not use.

import { inTurn } from "../in-turn.ts";
import { type Counts, countedEntry, countsOf } from "../counted.ts";
import { isFailed, open } from "../load.ts";
import type { Settings } from "../options.ts";
import type { Findings, Row, Table } from "../report.ts";
import type { Rig } from "../rig.ts";
import { configured, sampling } from "../sampling-load.ts";
import { waitAndDecide } from "../waiting.ts";
import type { Served } from "../workerd.ts";

/**
 * US dollars for a million, on the paid plan, above what the plan includes. Storage and what a
 * model costs are not in it.
 */
const dollarsPerMillion = {
  workerRequests: 0.3,
  cpuMs: 0.02,
  /** Calls and alarms of objects. */
  objectRequests: 0.15,
  /** An object has 128 MB. */
  objectGbSeconds: 12.5,
  rowsRead: 0.001,
  rowsWritten: 1,
  kvReads: 0.5,
  kvWrites: 5,
};
const objectGb = 0.128;

type Kind = keyof typeof dollarsPerMillion;
type Bill = Readonly<Record<Kind, number>>;

const kinds: Readonly<Record<Kind, string>> = {
  workerRequests: "Worker requests",
  cpuMs: "CPU ms",
  objectRequests: "object requests, alarms among them",
  objectGbSeconds: "object GB-seconds",
  rowsRead: "rows read",
  rowsWritten: "rows written",
  kvReads: "KV reads",
  kvWrites: "KV writes",
};

export async function bill(rig: Rig, { short }: Settings): Promise<Findings> {
  const provider = await rig.provider();
  const url = `http://127.0.0.1:${provider.port}`;
  const approved = await approvedRequests(await rig.gateway(configured(url), { entry: countedEntry }), short ? 40 : 4_000);
  const { routing = {} } = configured(url).documents;
  const reviewed = await reviewedRequests(
    await rig.gateway({ documents: { routing }, keys: {} }, { entry: countedEntry }),
    short ? 20 : 500,
  );
  return {
    measured: "Counted once.",
    tables: [
      tableOf("A million requests that the policy approves", "a request", approved, 1_000_000),
      tableOf("A thousand reviews", "a review", reviewed, 1_000),
      hourOf(reviewed),
    ],
    notes: [
      "What is counted for reviews has the benchmark's own lists of open notices in it, which ask all sixteen shards of the ledger: requests of objects and rows read are fewer without them.",
      "CPU is that of the whole process, objects and the Workers for KV and the rate limit among it: the Worker's own is less. Wall time of objects is that of this machine, with a provider that answers at once: a run's object is awake during its model call. Prices are the platform's list prices above what the paid plan includes.",
    ],
  };
}

async function approvedRequests(gateway: Served, count: number): Promise<Bill> {
  const send = async (requests: number): Promise<void> => {
    const connections = await Promise.all(Array.from({ length: 4 }, () => open(gateway.port)));
    await inTurn(connections, connections.length, async (connection, index) => {
      for (let sent = index; sent < requests; sent += connections.length) {
        const { text } = await connection.send(sampling(index));
        if (isFailed(text)) throw new Error(`a request was answered with ${text.slice(0, 300)}`);
      }
      connection.close();
    });
  };
  // The first requests open the sessions and read the documents.
  await send(Math.ceil(count / 10));
  return counted(gateway, count, () => send(count));
}

const reviewedRequests = (gateway: Served, count: number): Promise<Bill> =>
  counted(gateway, count, async () => {
    const waited = await waitAndDecide({ url: `http://127.0.0.1:${gateway.port}` }, { count, alone: 0 });
    if (waited.lost > 0) throw new Error(`${waited.lost} of ${count} callers were lost: ${waited.reasons.join("; ")}`);
  });

/** What was counted during the work, for each of `count`. */
async function counted(gateway: Served, count: number, work: () => Promise<void>): Promise<Bill> {
  const before = await countsOf(gateway);
  const cpuBefore = gateway.cpuSeconds();
  await work();
  // The record is written after the responses.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const after = await countsOf(gateway);
  const each = (kind: keyof Counts): number => (after[kind] - before[kind]) / count;
  return {
    workerRequests: each("workerRequests"),
    cpuMs: ((gateway.cpuSeconds() - cpuBefore) * 1_000) / count,
    objectRequests: each("objectRequests") + each("alarms"),
    objectGbSeconds: (each("objectMs") / 1_000) * objectGb,
    rowsRead: each("rowsRead"),
    rowsWritten: each("rowsWritten"),
    kvReads: each("kvReads"),
    kvWrites: each("kvWrites"),
  };
}

const priceOf = (kind: Kind, amount: number): number => (amount * dollarsPerMillion[kind]) / 1_000_000;
const totalOf = (each: Bill): number => (Object.keys(kinds) as Kind[]).reduce((sum, kind) => sum + priceOf(kind, each[kind]), 0);

function tableOf(title: string, what: string, each: Bill, count: number): Table {
  const rows = (Object.keys(kinds) as Kind[]).map((kind): Row => ({
    labels: [kinds[kind]],
    values: { each: [each[kind]], price: [dollarsPerMillion[kind]], dollars: [priceOf(kind, each[kind]) * count] },
  }));
  return {
    title,
    labels: [""],
    columns: [
      { key: "each", title: what, digits: 3 },
      { key: "price", title: "dollars for a million", digits: 3 },
      { key: "dollars", title: `dollars for ${count.toLocaleString("en-US")}`, digits: 4 },
    ],
    rows: [...rows, { labels: ["in all"], values: { dollars: [totalOf(each) * count] } }],
  };
}

const hourSeconds = 3_600;
const pollSeconds = 5;
const reviews = 1_000;

/**
 * What an hour of waiting adds, in three ways. The last two are computed: one poll is at least a
 * Worker request, a call and a row.
 */
function hourOf(reviewed: Bill): Table {
  const polls = hourSeconds / pollSeconds;
  const poll = priceOf("workerRequests", 1) + priceOf("cpuMs", 1) + priceOf("objectRequests", 1) + priceOf("rowsRead", 1);
  const awake = priceOf("objectGbSeconds", hourSeconds * objectGb);
  const row = (name: string, waiting: number): Row => ({
    labels: [name],
    values: { waiting: [waiting * reviews], all: [(totalOf(reviewed) + waiting) * reviews] },
  });
  return {
    title: "A thousand reviews that each wait for an hour",
    labels: ["how the caller waits"],
    columns: [
      { key: "waiting", title: "dollars for the waiting", digits: 4 },
      { key: "all", title: "dollars in all", digits: 4 },
    ],
    rows: [
      row("Countersign: a hibernating WebSocket, the object asleep", 0),
      row(`a poll every ${pollSeconds} s`, polls * poll),
      row("an object kept awake", awake),
    ],
  };
}
