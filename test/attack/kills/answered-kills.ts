// Kills the gateway with -9 while it answers requests that nobody is asked about, and looks for the
// line of each answer in the record, once every session has told what it knows.

import { verifyRecord } from "../../../scripts/verify-record.ts";
import { replyDigest } from "../../../shared/run/run-input.ts";
import { pause } from "../../outside/support/killable-gateway.ts";
import { policy, routing } from "../documents.ts";
import { type World, startWorld } from "../world.ts";
import { persist } from "./callers.ts";
import { startCountingModel } from "./counting-model.ts";
import type { Event } from "./history.ts";
import { type Random, randomOf } from "./random.ts";
import { countingServer } from "./run-kills.ts";

export const endpoints = ["/sampling", "relay", "/control", "/v1"] as const;
export type AnsweringEndpoint = (typeof endpoints)[number];

/**
 * `runs`: as the answer names them; none at the relay. `reply`: the digest of what the model said,
 * as the record has it.
 */
type Answered = {
  readonly endpoint: AnsweringEndpoint;
  readonly question: string;
  readonly runs: readonly string[];
  readonly reply: string;
};

/** `missing`: the questions of those that have neither a line nor an unknown outcome. */
export type AnsweredCount = {
  readonly answered: number;
  readonly lines: number;
  readonly unknown: number;
  readonly missing: readonly string[];
};

export type AnsweredKills = {
  readonly kills: number;
  readonly byEndpoint: ReadonlyMap<AnsweringEndpoint, AnsweredCount>;
  /** Runs of the record that are broken, or have two ends. */
  readonly broken: readonly string[];
};

const kindOf = { "/sampling": "fast", relay: "relay", "/control": "control" } as const;
const longestMs = 2_000;
/** More do not wait at once: after a kill a repeat waits until its first attempt's time is over. */
const mostWaiting = 60;
const patienceMs = 60_000;
/** A session's alarm comes within the minute after its Worker's time: four seconds, and ten. */
const toldWithinMs = 240_000;

const rules = {
  ...policy,
  rules: [{ name: "v1", when: { server: "v1" }, then: { request: "allow", response: "allow" } }, ...policy.rules],
};

export type AnsweredOptions = {
  readonly kills: number;
  readonly seed: number;
  /** Requests of each endpoint that begin before each kill. */
  readonly load: number;
  readonly variables: Readonly<Record<string, string>>;
};

export async function killWhileAnswering({ kills, seed, load, variables }: AnsweredOptions): Promise<AnsweredKills> {
  const random = randomOf(seed);
  const model = await startCountingModel(random);
  const world = await startWorld(variables);
  world.mcp.behave = countingServer(new Map(), new Map());
  const answered: Answered[] = [];
  try {
    await world.put("policy", rules);
    await world.put("routing", routing(model.openaiUrl));
    const underWay = new Set<Promise<unknown>>();
    for (let kill = 1; kill <= kills; kill += 1) {
      while (underWay.size > mostWaiting) await Promise.race(underWay);
      const killAt = random.below(longestMs);
      for (const endpoint of endpoints)
        for (let index = 0; index < load; index += 1) {
          const question = `Q-${kill * 1_000 + index}-${endpoint.slice(1)}`;
          const asking = answerOf(world, random, endpoint, question).then((answer) => answer !== null && answered.push(answer));
          underWay.add(asking);
          void asking.finally(() => underWay.delete(asking));
        }
      await pause(killAt);
      await world.kill();
      await pause(random.below(300));
      await world.start();
    }
    await Promise.all(underWay);
    return { kills, ...(await judged(world, answered)) };
  } finally {
    await world.close();
    await model.close();
  }
}

/** The reply of the counting model that is in an answer. */
function replyIn(text: string): string {
  const [reply = ""] = /reply \d+ to Q-\d+-[a-z0-9-]+\./.exec(text) ?? [];
  return replyDigest({ content: [{ type: "text", text: reply }], model: "counting", stopReason: "endTurn" });
}

/** Null where no answer came, however often it was asked. */
async function answerOf(world: World, random: Random, endpoint: AnsweringEndpoint, question: string): Promise<Answered | null> {
  await pause(random.below(longestMs));
  if (endpoint !== "/v1") {
    const { end } = await persist(world, question, kindOf[endpoint]);
    return end.how === "completed" ? { endpoint, question, runs: end.runs, reply: replyIn(end.texts.join()) } : null;
  }
  const messages = [{ role: "user", content: `The question is ${question}` }];
  for (const until = Date.now() + patienceMs; Date.now() < until; await pause(150)) {
    // Without an id: what is asked again is another request.
    const answer = await world.ask("/v1/chat/completions", { body: { model: "first", messages } }).catch(() => null);
    const run = (answer?.json as { readonly countersign?: { readonly run?: string } } | undefined)?.countersign?.run; // the contract's
    if (answer?.status === 200 && run !== undefined) return { endpoint, question, runs: [run], reply: replyIn(answer.text) };
  }
  return null;
}

async function judged(world: World, answered: readonly Answered[]): Promise<Omit<AnsweredKills, "kills">> {
  const until = Date.now() + toldWithinMs;
  for (;;) {
    const { text } = await world.admin("/record");
    const lines = text.split("\n").filter((line) => line !== "");
    const events = lines.map((line) => JSON.parse(line) as Event); // the record's
    const byEndpoint = new Map(endpoints.map((endpoint) => [endpoint, countOf(answered, events, endpoint)]));
    const isTold = endpoints.every((endpoint) => endpoint === "/v1" || byEndpoint.get(endpoint)?.missing.length === 0);
    if (!isTold && Date.now() < until) {
      await pause(2_000);
      continue;
    }
    const { findings } = await verifyRecord(lines);
    const ends = Map.groupBy(
      events.filter(({ fact }) => fact.kind === "finished" || fact.kind === "outcomeUnknown"),
      ({ run }) => run,
    );
    const twice = [...ends].filter(([, some]) => some.length > 1).map(([run]) => `${run} has two ends`);
    return { byEndpoint, broken: [...findings.filter(({ kind }) => kind !== "open").map(({ run }) => run), ...twice] };
  }
}

function countOf(all: readonly Answered[], events: readonly Event[], endpoint: AnsweringEndpoint): AnsweredCount {
  const finished = new Set<string>();
  const unknown = new Set<string>();
  for (const { run, fact } of events) {
    if (fact.kind === "finished") finished.add(run);
    if (fact.kind === "outcomeUnknown") unknown.add(run);
  }
  // At the relay the name of the tool is the question.
  const unknownOf = new Set(events.flatMap(({ fact }) => (fact.kind === "outcomeUnknown" ? [fact["name"]] : [])));
  const replies = new Set(events.flatMap(({ fact }) => (fact.kind === "answered" ? [fact["digest"]] : [])));
  let [lines, unknowns] = [0, 0];
  const missing: string[] = [];
  const own = all.filter((each) => each.endpoint === endpoint);
  for (const { question, runs, reply } of own) {
    if (replies.has(reply) && (endpoint === "relay" || runs.some((run) => finished.has(run)))) lines += 1;
    else if (endpoint === "relay" ? unknownOf.has(question) : runs.some((run) => unknown.has(run))) unknowns += 1;
    else missing.push(question);
  }
  return { answered: own.length, lines, unknown: unknowns, missing };
}
