// Kills the gateway's process tree with -9 at random moments of a mixed load, and starts it again,
// as often as is asked.

import { verifyRecord } from "../../../scripts/verify-record.ts";
import type { RawMcpServer } from "../../support/raw-mcp-server.ts";
import { routing } from "../documents.ts";
import { pause } from "../../outside/support/killable-gateway.ts";
import { type World, startWorld } from "../world.ts";
import { persist, repeated } from "./callers.ts";
import { questionIn, startCountingModel } from "./counting-model.ts";
import { settled, startDecider } from "./decider.ts";
import { type Asked, type Event, type History, type Kind, kinds } from "./history.ts";
import { type Judged, judge } from "./judge.ts";
import { type Random, randomOf } from "./random.ts";

export type KillOptions = {
  readonly kills: number;
  readonly seed: number;
  /** Requests that begin before each kill. */
  readonly load: number;
  /**
   * After the first kill only requests with a review begin: the others may have to wait for a
   * lease, which ends ten seconds after a crash.
   */
  readonly brief?: boolean;
};

const longestMs = 2_000;
const briefMs = 700;
/** More do not wait at a time: where kills come faster than leases end, nothing would ever end. */
const mostWaiting = 24;
const reviewedKinds = ["request-gate", "response-gate", "both-gates"] as const;

/** A server of 2026-07-28 that samples once for each question, and counts what it gets. */
export function countingServer(called: Map<string, number>, continued: Map<string, number>): RawMcpServer["behave"] {
  return ({ message }, response) => {
    if (message.method !== "tools/call") return false;
    const question = questionIn(JSON.stringify(message.params));
    const responses = message.params?.["inputResponses"];
    const [counts, name] = responses === undefined ? [called, question] : [continued, String(message.params?.["requestState"])];
    counts.set(name, (counts.get(name) ?? 0) + 1);
    const text = `The question is ${question}`;
    const sampling = {
      method: "sampling/createMessage",
      params: { messages: [{ role: "user", content: { type: "text", text } }], maxTokens: 50 },
    };
    const result =
      responses === undefined
        ? { resultType: "input_required", inputRequests: { reply: sampling }, requestState: `state ${crypto.randomUUID()} of ${question}` }
        : { resultType: "complete", content: [{ type: "text", text: JSON.stringify(responses) }] };
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
    return true;
  };
}

/**
 * Kills and starts the gateway again and again, each time in the middle of new requests. Gives
 * when, and the requests with their ends.
 */
async function killAgain(
  world: World,
  random: Random,
  { kills, load, brief = false }: KillOptions,
): Promise<{ readonly killed: number[]; readonly asked: Asked[] }> {
  const killed: number[] = [];
  const callers: Promise<Asked>[] = [];
  const underWay = new Set<Promise<Asked>>();
  const within = brief ? briefMs : longestMs;
  for (let kill = 1; kill <= kills; kill += 1) {
    while (underWay.size > mostWaiting) await Promise.race(underWay);
    const killAt = random.below(within);
    for (const each of begin(world, random, { kill, load, within, kinds: brief && kill > 1 ? reviewedKinds : kinds })) {
      callers.push(each);
      underWay.add(each);
      void each.finally(() => underWay.delete(each));
    }
    await pause(killAt);
    killed.push(Date.now());
    await world.kill();
    await pause(random.below(300));
    await world.start();
  }
  return { killed, asked: await Promise.all(callers) };
}

/** The whole: its own gateway, load and judgement. */
export async function runKills(chosen: KillOptions): Promise<Judged> {
  const random = randomOf(chosen.seed);
  const model = await startCountingModel(random);
  const world = await startWorld();
  const [called, continued] = [new Map<string, number>(), new Map<string, number>()];
  world.mcp.behave = countingServer(called, continued);
  try {
    await world.put("routing", routing(model.openaiUrl));
    const decider = startDecider(world, random);
    const { killed, asked } = await killAgain(world, random, chosen);
    const again = await Promise.all(asked.map((each) => repeated(world, each)));
    await decider.stop();
    await settled(world, decider.questionOf.keys());
    await pause(1_000); // What is written after an answer is written by then.
    return judge({
      asked: again,
      paid: model.paid,
      decided: decider.decided,
      ...(await recordOf(world)),
      questionOf: decider.questionOf,
      continued,
      called,
      kills: killed,
    });
  } finally {
    await world.close();
    await model.close();
  }
}

/** Requests of every kind that begin at moments of their own. */
function begin(
  world: World,
  random: Random,
  {
    kill,
    load,
    within,
    kinds: every,
  }: { readonly kill: number; readonly load: number; readonly within: number; readonly kinds: readonly [Kind, ...Kind[]] },
): Promise<Asked>[] {
  return Array.from({ length: load }, async (_, index) => {
    const kind: Kind = every[index] ?? random.pick(every);
    const question = `Q-${kill * 1_000 + index}-${kind}`;
    await pause(random.below(within));
    return persist(world, question, kind);
  });
}

async function recordOf(world: World): Promise<Pick<History, "events" | "brokenRuns">> {
  const { text } = await world.admin("/record");
  const lines = text.split("\n").filter((line) => line !== "");
  const { findings } = await verifyRecord(lines);
  return {
    events: lines.map((line) => JSON.parse(line) as Event), // the record's
    brokenRuns: findings.filter(({ kind }) => kind !== "open").map(({ run }) => run),
  };
}
