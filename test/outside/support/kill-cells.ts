// Kill -9 of the gateway at a random moment while people decide about sampling, or about calls, for
// clients and servers of both families: what came of each call, and what the server, the model and
// the record saw twice.

import { editField } from "../../../shared/review/form.ts";
import { verifyRecord } from "../../../scripts/verify-record.ts";
import { type KillCaller, type Said, callingCaller, lostMs, repeatingCaller, resumingCaller } from "./kill-callers.ts";
import { decideByLink, pause } from "./killable-gateway.ts";
import { type ModernServer, repeatedContinuations, serveModern } from "./modern-server.ts";
import { type OldServer, serveOld } from "./old-server.ts";
import { until } from "./raw-client.ts";
import { type RelayOffice, openGates, relayOffice } from "./relay-office.ts";

export type Family = "2025" | "2026";
export type KillCell = { readonly client: Family; readonly server: Family };

export const cellName = ({ client, server }: KillCell): string => `a client of ${client} at a server of ${server}`;

export const killCells: readonly KillCell[] = (["2025", "2026"] as const).flatMap((server) =>
  (["2025", "2026"] as const).map((client) => ({ client, server })),
);

/** How often each tool samples. The last one asks its client for a form beside that. */
const sampled = { ask: 1, "ask-two": 2, "ask-five": 5, "ask-and-elicit": 1 } as const;
type Tool = keyof typeof sampled;

/**
 * A client of 2025 posts what it was asked for once, so a kill may lose it on the way: it is asked
 * for nothing.
 */
const toolsOf = ({ client }: KillCell): Tool[] =>
  (Object.keys(sampled) as Tool[]).filter((tool) => client === "2026" || !tool.endsWith("elicit"));

/** What came of the kills of a cell. Each list says what, so that a failure shows it. */
export type Killed = {
  readonly replies: number;
  /** Calls that ended with the sentence that a person declined them. */
  readonly declined: number;
  /**
   * Ended with "the outcome is unknown" where the server may have had the call, or the continuation
   * of one at a server of 2026, when the gateway was killed.
   */
  readonly unknown: number;
  /** A server's request, or a person's review, that was answered more than once. */
  readonly answeredTwice: readonly string[];
  /** A call, or the continuation of one, that reached the server more than once. */
  readonly sentTwice: readonly string[];
  /** A call that ended without its reply though the server could still give it. */
  readonly lost: readonly string[];
  /** Anything else that must not be: in the model's calls, or in the record. */
  readonly wrong: readonly string[];
  /**
   * Answers that reached a server with sessions again, the same to the byte and under the same id:
   * it knows them by that.
   */
  readonly again: number;
};

export type KillOffice = {
  readonly office: RelayOffice;
  /**
   * One kill in this cell while people decide about sampling. `name` tells its questions from those
   * of others; all its moments are of `random`.
   */
  readonly kill: KillOnce;
  /** The same while people decide about the calls themselves, and about the results of some. */
  readonly killCalls: KillOnce;
  readonly close: () => Promise<void>;
};

type KillOnce = (cell: KillCell, name: string, random: () => number) => Promise<Killed>;

const later = { subject: "toolCall", tool: "later" } as const;
const asksAda = { request: "review", response: "allow", reviewers: ["everyone"], selfApproval: true } as const;
const reviewedByAda: object = {
  ...openGates,
  rules: [
    { name: "asked", when: {}, then: { request: "review", response: "allow", reviewers: ["everyone"] } },
    {
      name: "calls and results",
      when: { ...later, arguments: [{ pointer: "/question", glob: "*: result *" }] },
      then: { ...asksAda, response: "review" },
    },
    { name: "calls", when: later, then: asksAda },
  ],
  reviewers: { everyone: [{ name: "Ada" }] },
};

/** A gateway with a server of each family; the one with sessions keeps its events. */
export async function killOffice(): Promise<KillOffice> {
  const [office, modern, old] = await Promise.all([
    relayOffice({ RELAY_HOLD_SECONDS: "1" }),
    serveModern({ legacy: "reject" }),
    serveOld({ resumable: true }),
  ]);
  await office.rule(reviewedByAda);
  await office.serve({ "2026": { url: modern.url, allowPrivate: true }, "2025": { url: old.url, allowPrivate: true } });
  // Ten kills of one cell take less than a minute. What each kill left behind for longer than that
  // would use up its other limits: they have room for the calls that wait, and what is cut off.
  const key = await office.key({ name: "kills", limits: { requestsPerMinute: 10_000, concurrent: 40 } });
  return {
    office,
    kill: (cell, name, random) => killOnce({ office, key, modern, old, cell, name, random }),
    killCalls: (cell, name, random) => killCallsOnce({ office, key, modern, old, cell, name, random }),
    close: async () => void (await Promise.all([office.close(), modern.close(), old.close()])),
  };
}

const approve = (link: string): Promise<Response> => decideByLink(link, "approve");

/** Somebody who decides everything, each after a while, until there is nothing more to do. */
function decider(
  office: RelayOffice,
  waitMs: () => number,
  decide = approve,
): { readonly stop: () => Promise<void>; readonly decided: () => number } {
  const over = new AbortController();
  const under = new Set<string>();
  let decided = 0;
  const decideOne = async (run: string, link: string): Promise<void> => {
    await pause(waitMs());
    // The gateway may be away: the review is still listed when it is back, or was decided.
    if ((await decide(link).catch(() => null))?.status === 303) decided += 1;
    under.delete(run);
  };
  const looking = (async () => {
    while (!over.signal.aborted) {
      for (const { run, link } of await office.notices().catch(() => [])) {
        if (link === null || link === undefined || under.has(run)) continue;
        under.add(run);
        void decideOne(run, link);
      }
      await pause(50);
    }
  })();
  return { stop: () => (over.abort(), looking), decided: () => decided };
}

type Kill = {
  readonly office: RelayOffice;
  readonly key: string;
  readonly modern: ModernServer;
  readonly old: OldServer;
  readonly cell: KillCell;
  readonly name: string;
  readonly random: () => number;
};
type Ended = Said & { readonly tool: Tool; readonly question: string };

async function killOnce(kill: Kill): Promise<Killed> {
  const { office, key, modern, old, cell, name, random } = kill;
  const earlier = new Set((await office.record()).events.map(({ run }) => run));
  const modelCalls = office.model.requests.length;
  modern.received.length = 0;
  old.received.length = 0;
  const [aliveMs, awayMs] = [random() * 2_500, random() * 500];
  const caller: KillCaller = await (cell.client === "2025" ? resumingCaller : repeatingCaller)(office.relay(cell.server), key);
  const over = new Set<string>();
  const asked = toolsOf(cell).map((tool) => ({ tool, question: `${name}: what of ${tool}?` }));
  const calls = asked.map(async ({ tool, question }): Promise<Ended> => {
    const said = await caller.call(tool, question);
    over.add(question);
    return { tool, question, ...said };
  });
  // From now on each call is known by what its client has; one that has ended by itself is judged
  // with the others.
  await until("a place for each call", () => asked.every(({ question }) => caller.isFound(question) || over.has(question)));
  const person = decider(office, () => random() * 800);
  await pause(aliveMs);
  await office.kill();
  await pause(awayMs);
  await office.start();
  const ended = await Promise.all(calls);
  await person.stop();
  await caller.close();
  return judged(kill, ended, { earlier, modelCalls });
}

type Before = { readonly earlier: ReadonlySet<string>; readonly modelCalls: number };

async function judged(kill: Kill, ended: readonly Ended[], { earlier, modelCalls }: Before): Promise<Killed> {
  const { office, cell } = kill;
  const paid = office.model.requests.slice(modelCalls).map(({ body }) => JSON.stringify(body));
  const { text, events } = await office.record();
  const own = events.filter(({ run }) => !earlier.has(run));
  const asked = own.filter(({ fact }) => fact.kind === "reviewOpened").map(({ run }) => run);
  const rounds = ended.reduce((sum, { tool }) => sum + sampled[tool], 0);
  // The server had a continuation, or was about to get it.
  const isUnknown = ({ text: said, question }: Ended): boolean =>
    cell.server === "2026" && said.includes("outcome is unknown") && paid.some((body) => body.includes(question));
  const replied = ended.filter(hasReply);
  const unknown = ended.filter((each) => !hasReply(each) && isUnknown(each));
  const seen = cell.server === "2026" ? seenByModern(kill) : seenByOld(kill);
  const isWhole = replied.length === ended.length;
  const wrong: string[] = [];
  const reviews = new Set(asked).size;
  if (isWhole ? reviews !== rounds : reviews > rounds) wrong.push(`${reviews} reviews for ${rounds} rounds`);
  // A call of the model that the kill cut off is made again, and the record has both.
  const called = own.filter(({ fact }) => fact.kind === "called").length;
  if (paid.length > called) wrong.push(`the model was paid ${paid.length} times for ${called} calls`);
  if (new Set(paid).size > rounds) wrong.push(`the model was asked ${new Set(paid).size} different questions`);
  for (const finding of (await verifyRecord(text.split("\n"))).findings) wrong.push(JSON.stringify(finding));
  return {
    replies: replied.length,
    declined: 0,
    unknown: unknown.length,
    answeredTwice: [...seen.answeredTwice, ...repeated(asked).map((run) => `reviewed again: ${run}`)],
    sentTwice: seen.sentTwice,
    lost: ended
      .filter((each) => !replied.includes(each) && !unknown.includes(each))
      .map((each) => `${each.question} ended with ${each.text}`),
    wrong,
    again: seen.again,
  };
}

const reply = "Hello from the scripted provider.";
const hasReply = ({ tool, text, isError }: Ended): boolean => !isError && text.split(reply).length - 1 === sampled[tool];

type Seen = Pick<Killed, "answeredTwice" | "sentTwice" | "again">;

/** At a server of 2026 an answer is part of the continuation. */
function seenByModern({ modern }: Kill): Seen {
  const first = modern.received.filter(
    ({ method, state, inputResponses }) => method === "tools/call" && (state ?? inputResponses) === undefined,
  );
  const calls = repeated(first.map((each) => JSON.stringify(each.arguments)));
  return { answeredTwice: [], sentTwice: [...calls, ...repeatedContinuations(modern.received)], again: 0 };
}

function seenByOld({ old, name }: Kill): Seen {
  const calls = old.received
    .filter(({ message }) => message.method === "tools/call")
    .map(({ message }) => message.params?.arguments?.question ?? "");
  const answers = old.received.filter(({ message }) => message.method === undefined && message.id !== undefined);
  const different = new Map(answers.map((each) => [each.text + String(each.session), each]));
  return {
    answeredTwice: repeated([...different.values()].map(({ session, message }) => JSON.stringify([session, message.id]))),
    sentTwice: repeated(calls.filter((question) => question.startsWith(`${name}:`))),
    again: answers.length - different.size,
  };
}

/** What the person makes of each call of a kill, which is a part of its question. */
const callActs = ["approve", "edit", "result", "deny", "approve", "edit"] as const;
type CallAct = (typeof callActs)[number];
type EndedCall = Said & { readonly act: CallAct; readonly question: string };
const edit = " (edited)";

/** As JSON: no list of the server has passed, so that nothing is known of the tool's schema. */
const argumentsField = editField("/arguments");

export const editQuestion = (fields: URLSearchParams): void => {
  const { question } = JSON.parse(fields.get(argumentsField) ?? "") as { readonly question: string };
  fields.set(argumentsField, JSON.stringify({ question: question + edit }));
};

async function decideCall(link: string): Promise<Response> {
  const page = await (await fetch(link)).text();
  const act = /: (approve|edit|result|deny) call \d/.exec(page)?.[1];
  return act === "edit" ? decideByLink(link, "approve", editQuestion) : decideByLink(link, act === "deny" ? "deny" : "approve");
}

async function killCallsOnce(kill: Kill): Promise<Killed> {
  const { office, key, modern, old, cell, name, random } = kill;
  const earlier = new Set((await office.record()).events.map(({ run }) => run));
  modern.received.length = 0;
  old.received.length = 0;
  const [moment, aliveMs, awayMs] = [Math.floor(random() * 3), random() * 400, random() * 500];
  const caller: KillCaller = await (cell.client === "2025" ? callingCaller : repeatingCaller)(office.relay(cell.server), key, lostMs);
  const asked = callActs.map((act, index) => ({ act, question: `${name}: ${act} call ${index}` }));
  const calls = asked.map(async (each): Promise<EndedCall> => ({ ...each, ...(await caller.call("later", each.question)) }));
  const person = decider(office, () => random() * 800, decideCall);
  // The calls wait; one is claimed; one is at its server, which takes a while to answer.
  if (moment === 0) await until("a review", async () => (await office.notices()).length > 0);
  if (moment === 1) await until("a decision", () => person.decided() > 0);
  if (moment === 2) await until("a call", () => sentCalls(kill).length > 0);
  await pause(aliveMs);
  await office.kill();
  await pause(awayMs);
  await office.start();
  const ended = await Promise.all(calls);
  await person.stop();
  await caller.close();
  return judgedCalls(kill, ended, earlier);
}

/** The questions of the calls that the server got. */
const sentCalls = ({ cell, modern, old, name }: Kill): string[] =>
  (cell.server === "2026"
    ? modern.received
        .filter(({ method }) => method === "tools/call")
        .map((each) => (each.arguments as { question?: string }).question ?? "")
    : old.received.filter(({ message }) => message.method === "tools/call").map(({ message }) => message.params?.arguments?.question ?? "")
  ).filter((question) => question.startsWith(`${name}:`));

async function judgedCalls(kill: Kill, ended: readonly EndedCall[], earlier: ReadonlySet<string>): Promise<Killed> {
  const sent = sentCalls(kill);
  const timesSent = (question: string): number => sent.filter((each) => each.replace(edit, "") === question).length;
  const hasRun = ({ act, question, text, isError }: EndedCall): boolean =>
    !isError && text.startsWith(`Ran: ${question}${act === "edit" ? `${edit}A reviewer changed` : ""}`) && timesSent(question) === 1;
  const isDeclined = ({ act, text, question }: EndedCall): boolean =>
    act === "deny" && text.startsWith("A person declined this call. It was not run.") && timesSent(question) === 0;
  const isUnknown = ({ act, text }: EndedCall): boolean => act !== "deny" && text.includes("it may have run or not");
  // What a call is sent by is recorded with it, and told a little later.
  const { text, own } = await until("the record of each call", async () => {
    const record = await kill.office.record();
    const facts = record.events.filter(({ run }) => !earlier.has(run));
    return facts.filter(({ fact }) => fact.kind === "called").length >= sent.length && { text: record.text, own: facts };
  });
  const of = (...kinds: readonly string[]): string[] =>
    own.filter(({ fact }) => kinds.includes(fact.kind)).map(({ run, fact }) => `${run} ${"gate" in fact ? fact.gate : ""}`);
  const runs = new Set(of("reviewOpened").map((each) => each.split(" ")[0]));
  const { findings } = await verifyRecord(text.split("\n"));
  // A run's last line may be written a moment after its answer.
  const wrong = findings.filter(({ kind }) => kind !== "open").map((finding) => JSON.stringify(finding));
  if (runs.size !== ended.length) wrong.push(`${runs.size} reviewed runs for ${ended.length} calls`);
  for (const each of sent)
    if (each.includes(": deny ") || each.includes(": edit ") !== each.endsWith(edit))
      wrong.push(`the server got what nobody approved: ${each}`);
  return {
    replies: ended.filter(hasRun).length,
    declined: ended.filter(isDeclined).length,
    unknown: ended.filter(isUnknown).length,
    answeredTwice: [...repeated(of("reviewOpened")), ...repeated(of("approved", "denied")), ...repeated(of("called"))],
    sentTwice: repeated(sent.map((each) => each.replace(edit, ""))),
    lost: ended
      .filter((each) => !hasRun(each) && !isDeclined(each) && !isUnknown(each))
      .map(({ question, text: said }) => `${question}, sent ${timesSent(question)} times, ended with ${said}`),
    wrong,
    again: 0,
  };
}

function repeated(values: readonly string[]): string[] {
  const seen = new Set<string>();
  return values.filter((each) => seen.has(each) || !seen.add(each));
}

/** The sum of several kills. */
export const together = (kills: readonly Killed[]): Killed => ({
  replies: kills.reduce((sum, { replies }) => sum + replies, 0),
  declined: kills.reduce((sum, { declined }) => sum + declined, 0),
  unknown: kills.reduce((sum, { unknown }) => sum + unknown, 0),
  again: kills.reduce((sum, { again }) => sum + again, 0),
  answeredTwice: kills.flatMap(({ answeredTwice }) => answeredTwice),
  sentTwice: kills.flatMap(({ sentTwice }) => sentTwice),
  lost: kills.flatMap(({ lost }) => lost),
  wrong: kills.flatMap(({ wrong }) => wrong),
});

/** What must not be, of all kinds. */
export const faultsOf = ({ answeredTwice, sentTwice, lost, wrong }: Killed): string[] => [
  ...answeredTwice.map((each) => `answered twice: ${each}`),
  ...sentTwice.map((each) => `sent twice: ${each}`),
  ...lost.map((each) => `lost: ${each}`),
  ...wrong,
];
