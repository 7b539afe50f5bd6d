// Asks the gateway before a client's call of a tool goes to the server: `countersign stdio
// --review-calls`. What is approved passes byte for byte as it came, or with the arguments that a
// reviewer approved; anything else is answered here, and the server hears nothing of it. Where a
// rule is about the result, the gateway has it before the client. Works on lines; uses no process
// or stream.

import { checkExact } from "../../shared/json/exact.ts";
import { IssueCollector } from "../../shared/json/issue-collector.ts";
import { type Members, isObject, objectOf, parseJson } from "../../shared/json/values.ts";
import { edited, textAt, whole } from "../../shared/json/spans.ts";
import {
  type ArgumentChange,
  argumentEdits,
  argumentsIn,
  callMethod,
  inputResponsesIn,
  noticeResult,
  noticeText,
  saysTimeout,
  waitingNotice,
  withEditedNotice,
} from "../../shared/relay/call-notices.ts";
import { withId, withoutTasksEdits } from "../../shared/relay/message-bytes.ts";
import { isRound } from "../../shared/relay/rounds.ts";
import { protocolVersionKey } from "../../shared/wire/mcp-2026/meta-keys.ts";
import { idKey } from "../../shared/wire/json-rpc.ts";
import type { JsonObject } from "../../shared/encoding.ts";
import { errorResult } from "../../shared/run/relayed-tool-call.ts";
import type { Approval, ApprovalRequest } from "../approval.ts";
import { sortedJson } from "../open-requests.ts";
import { asRequest, isId, type JsonRpcId, objectIn } from "../rpc-messages.ts";
import { errorLine, lineRefusal } from "./client-line.ts";
import { cancellingOthers, decoded, rawIdIn, responseLine } from "./stateless-lines.ts";

export type ReviewedCallsSettings = {
  readonly server: string;
  readonly holdMilliseconds: number;
  /** Asks the gateway, under an id of this request. Rejects where that is not possible. */
  readonly decide: (call: ApprovalRequest, id: string, signal: AbortSignal) => Promise<Approval>;
  /** Nobody has to decide any more about what was asked under this id. */
  readonly withdraw: (id: string) => void;
  /** Brings a call's result to the gateway. Rejects where that is not possible. */
  readonly bring: (run: string, result: JsonObject, signal: AbortSignal) => Promise<{ readonly result: JsonObject }>;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Takes an approved line as if the client had sent it now. */
  readonly approved: (line: Uint8Array) => void;
  readonly toClient: (line: string) => void;
};

const unreleased = "This call has run, and the gateway cannot be asked about its result now. Check its effect before you call it again.";
const unasked: Approval = { decision: "failed", message: "The gateway cannot be asked about this call now." };

/** Why a person might be shown another call than the one that the server reads; null where not. */
function whyUnclear(line: Uint8Array, { name, arguments: given = {}, inputResponses: answers = {} }: Members): string | null {
  if (typeof name !== "string" || !isObject(given)) return "name is a text, and arguments an object";
  if (!isObject(answers)) return "inputResponses is an object";
  for (const [member, span] of [["arguments", argumentsIn(line)] as const, ["inputResponses", inputResponsesIn(line)] as const]) {
    const issues = new IssueCollector();
    if (span !== undefined) checkExact(textAt(line, span), issues);
    const [issue] = issues.found;
    if (issue !== undefined) return `/params/${member}${issue.pointer} ${issue.message}`;
  }
  return null;
}

/** What was approved of a member in place of what came; null where it is the same. */
const otherThan = (came: unknown, approved: unknown): string | null =>
  sortedJson([came]) === sortedJson([approved]) ? null : JSON.stringify(approved);

const encoder = new TextEncoder();

/**
 * A call as its answer needs it. `asTask`: its client waits for a task, which no notice is. `same`:
 * equal for the same call with the same answers. `call`: equal for the same call. `request`: the id
 * under which the gateway was asked.
 */
type Asked = {
  readonly rawId: string;
  readonly isStateless: boolean;
  readonly asTask: boolean;
  readonly same: string;
  readonly call: string;
  readonly request: string;
};

/** A call that waits. */
type Held = Asked & { readonly left: AbortController };

/** A call at the server, or back from it, whose result the client gets from the gateway alone. */
type Kept = Asked & {
  /** At the server: a client's other requests have ids of the client's, and one could be this. */
  readonly id: string;
  /** At the client, as text: a client takes the one for the other. */
  readonly clientId: string;
  readonly run: string;
  readonly change: ArgumentChange | null;
  state: "atServer" | "returned";
  /** Its client waits no longer; one that timed out may call again. */
  left: "cancelled" | "timedOut" | null;
};

type Released = {
  readonly run: string;
  readonly request: string;
  readonly change: ArgumentChange | null;
  readonly result: Promise<JsonObject>;
};

const MOST_PARKED = 1_000;
const PARKED_MILLISECONDS = 3_600_000;
/** More calls at once are refused, because each has a connection to the gateway. */
const MOST_AT_ONCE = 100;

export class ReviewedCalls {
  readonly #settings: ReviewedCallsSettings;
  readonly #held = new Map<string, Held>();
  /** Of calls whose response is to say so. */
  readonly #changed = new Map<string, ArgumentChange>();
  readonly #kept = new Map<string, Kept>();
  /**
   * Results that nobody got, by the call: with its client's answers, and without any. The oldest
   * beyond the number are dropped.
   */
  readonly #parked = new Map<string, Released>();
  /** What was asked of a call whose client waited no longer, and may call again. */
  readonly #leftWaiting = new Map<string, string[]>();
  readonly #closed = new AbortController();

  constructor(settings: ReviewedCallsSettings) {
    this.#settings = settings;
  }

  /** A line of the client. Returns it where it passes now. */
  fromClient(line: Uint8Array): Uint8Array | undefined {
    // What could be read in another way is refused by the relay.
    if (lineRefusal(line) !== null) return line;
    const value = parseJson(decoded(line));
    const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
    const cancelled = messages.filter((each) => isObject(each) && each["method"] === "notifications/cancelled");
    const known = cancelled.length === 0 ? line : cancellingOthers(line, value, (id) => this.#keptOf(id)?.id);
    for (const each of cancelled) this.#cancel(objectIn(objectOf(each) ?? {}, "params"));
    if (!messages.some((each) => isObject(each) && each["method"] === callMethod)) return known;
    const request = asRequest(value);
    if (Array.isArray(value) || request === undefined)
      return this.#refuse(value, "Send each tools/call by itself, with an id: a person may have to decide about it");
    if (this.#held.size >= MOST_AT_ONCE) return this.#refuse(value, `More than ${MOST_AT_ONCE} calls wait at once`);
    if (this.#held.has(idKey(request.id)) || this.#keptOf(request.id) !== undefined) return this.#refuse(value, "This id is in use");
    const wrong = whyUnclear(line, request.params);
    if (wrong !== null) return this.#refuse(value, wrong);
    void this.#hold(line, request);
    return undefined;
  }

  /**
   * A line of the server as the client gets it, if it does now: the response to a changed call says
   * what ran.
   */
  fromServer(line: Uint8Array): Uint8Array | undefined {
    if (this.#kept.size > 0) return this.#whileKept(line);
    if (this.#changed.size === 0) return line;
    const message = objectOf(parseJson(decoded(line)));
    const id = message === null || "method" in message ? undefined : message["id"];
    return this.#noted(line, id);
  }

  /** The response to this request, where its call was changed, says so. */
  #noted(response: Uint8Array, id: unknown): Uint8Array {
    const changed = isId(id) ? this.#changed.get(idKey(id)) : undefined;
    if (!isId(id) || changed === undefined) return response;
    this.#changed.delete(idKey(id));
    return withEditedNotice(response, changed);
  }

  /** Whether a line that is not read here could be a result that the client must not have yet. */
  get keepsResults(): boolean {
    return this.#kept.size > 0;
  }

  /** Calls that have run or may run, and whose results the client has not got. */
  get undelivered(): number {
    return this.#kept.size + new Set(this.#parked.values()).size;
  }

  /** A line of the server that was too long, and did not pass. */
  tooLong(id: JsonRpcId | undefined): void {
    const kept = id === undefined ? undefined : this.#kept.get(String(id));
    if (kept !== undefined) void this.#bring(kept, errorResult({ message: "The server's answer is too long to be reviewed" }));
  }

  /**
   * One side has closed: nothing that waits is sent any more, no result is delivered, and nobody
   * has to decide about either.
   */
  closed(): void {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    for (const held of this.#held.values()) {
      held.left.abort();
      this.#withdraw(held);
    }
    this.#held.clear();
    for (const kept of this.#kept.values()) this.#withdraw(kept);
    for (const { request } of new Set(this.#parked.values())) this.#settings.withdraw(request);
  }

  /** Nobody has to decide about this call any more, as often as it was asked about. */
  #withdraw({ same, request }: Asked): void {
    const before = this.#leftWaiting.get(same) ?? [];
    this.#leftWaiting.delete(same);
    for (const each of new Set([...before, request])) this.#settings.withdraw(each);
  }

  /** Its client may call again, and finds the review then. */
  #leave({ same, request }: Asked): void {
    this.#leftWaiting.set(same, [...(this.#leftWaiting.get(same) ?? []), request]);
    const [oldest = same] = this.#leftWaiting.keys();
    if (this.#leftWaiting.size > MOST_PARKED) this.#leftWaiting.delete(oldest);
  }

  #refuse(value: unknown, message: string): undefined {
    this.#settings.toClient(errorLine({ code: -32_600, message, value }));
  }

  #cancel({ requestId: id, reason }: Members): void {
    if (!isId(id)) return;
    const isLate = saysTimeout(reason);
    const held = this.#held.get(idKey(id));
    if (held !== undefined) {
      held.left.abort(isLate ? "timedOut" : "cancelled");
      this.#held.delete(idKey(id));
      if (isLate) this.#leave(held);
      else this.#withdraw(held);
    }
    const kept = this.#keptOf(id);
    if (kept === undefined || kept.left !== null) return;
    kept.left = isLate ? "timedOut" : "cancelled";
    if (!isLate) this.#withdraw(kept);
  }

  async #hold(line: Uint8Array, { id, params }: { readonly id: JsonRpcId; readonly params: Members }): Promise<void> {
    const { server, decide, approved, sleep, holdMilliseconds } = this.#settings;
    const key = idKey(id);
    const enough = new AbortController();
    const span = argumentsIn(line);
    const given = span === undefined ? "{}" : textAt(line, span);
    const answers = objectOf(params["inputResponses"]);
    const isStateless = objectIn(params, "_meta")[protocolVersionKey] !== undefined;
    const asTask = !isStateless && params["task"] !== undefined;
    const named = {
      tool: String(params["name"]),
      server,
      arguments: objectOf(params["arguments"]) ?? {},
      ...(answers === null ? {} : { inputResponses: answers }),
    };
    // A task's result comes by another request, which nobody would bring.
    const call: ApprovalRequest = { ...named, ...(asTask ? { asTask } : { returnsResult: true }) };
    const { requestState = null } = params;
    const isAnswer = isStateless && (answers !== null || requestState !== null);
    const bare = sortedJson([call.tool, call.arguments]);
    // What was decided with other answers, or without any, is not for these.
    const same = isAnswer ? sortedJson([call.tool, call.arguments, answers, requestState]) : bare;
    const parked = asTask ? undefined : this.#parked.get(same);
    const request = parked?.request ?? crypto.randomUUID();
    const asked: Asked = { rawId: rawIdIn(line, whole(line), id), isStateless, asTask, same, call: bare, request };
    const held: Held = { ...asked, left: new AbortController() };
    this.#held.set(key, held);
    if (parked !== undefined) {
      this.#unpark(parked);
      return this.#deliver(asked, parked, () => {
        if (this.#held.get(key) === held && this.#held.delete(key)) return null;
        return held.left.signal.reason === "cancelled" ? "cancelled" : "timedOut";
      });
    }
    const first = await Promise.race([
      decide(call, asked.request, AbortSignal.any([held.left.signal, enough.signal])).catch(() => unasked),
      sleep(holdMilliseconds, held.left.signal).then(() => "enough" as const),
    ]);
    // A cancelled call gets no answer, and nothing is sent for it.
    const isOver = this.#held.get(key) !== held;
    this.#held.delete(key);
    enough.abort();
    if (isOver) return;
    const answer = (result: JsonObject): void => this.#answer(asked, result);
    if (first === "enough") {
      this.#leave(asked);
      return answer(waitingNotice(null, "request"));
    }
    this.#leftWaiting.delete(same);
    if (first.decision !== "approved")
      return answer(noticeResult({ text: `${first.message} It was not run.`, run: first.id ?? null, what: first.decision }));
    // A reviewer changed them, or a rule masked a part.
    const after = otherThan(call.arguments, first.arguments);
    const change = after === null ? null : { before: given, after };
    const answered = answers === null ? null : otherThan(answers, first.inputResponses ?? {});
    const responses = inputResponsesIn(line);
    const sent = edited(line, [
      ...(after === null ? [] : argumentEdits(line, after)),
      ...(answered === null || responses === undefined ? [] : [{ ...responses, text: answered }]),
    ]);
    if (first.returnsResult !== true) {
      if (change !== null) this.#changed.set(key, change);
      return approved(sent);
    }
    const own = crypto.randomUUID();
    this.#kept.set(own, { ...asked, id: own, clientId: String(id), run: first.id, change, state: "atServer", left: null });
    approved(withId(edited(sent, withoutTasksEdits(sent)), JSON.stringify(own)));
  }

  /** The client's call of this id, while its result is kept. */
  #keptOf(id: JsonRpcId): Kept | undefined {
    return [...this.#kept.values()].find(({ clientId }) => clientId === String(id));
  }

  /** While a result is kept, a line passes by what is read of it here. */
  #whileKept(line: Uint8Array): Uint8Array | undefined {
    const value = parseJson(decoded(line));
    const passing = (Array.isArray(value) ? (value as unknown[]) : [value]).flatMap((each) => this.#passing(each));
    if (passing.length === 0) return undefined;
    const [first] = passing;
    const bytes = encoder.encode(`${JSON.stringify(Array.isArray(value) ? passing : first)}\n`);
    const { id, method } = objectOf(first) ?? {};
    return method === undefined ? this.#noted(bytes, id) : bytes;
  }

  /** What the client gets of this message now. The response to a kept call begins its review. */
  #passing(value: unknown): readonly unknown[] {
    const message = objectOf(value);
    if (message === null) return [];
    const isResponse = "result" in message || "error" in message;
    if ("method" in message) return isResponse ? [] : [message];
    const kept = isId(message["id"]) ? this.#kept.get(String(message["id"])) : undefined;
    if (kept === undefined) return [message];
    if (!isResponse) return [];
    const result = objectOf(message["result"]);
    // What the server asks of the client is no result, and its next attempt is reviewed anew. Only
    // 2026-07-28 has that: a client of a session reads what else is in it.
    if (result !== null && kept.isStateless && isRound(result)) {
      this.#kept.delete(kept.id);
      void this.#brought(kept.run, result);
      return [{ ...message, id: JSON.parse(kept.rawId) as JsonRpcId }]; // read as one
    }
    if (kept.state === "atServer") void this.#bring(kept, result ?? errorResult(objectOf(message["error"]) ?? {}));
    return [];
  }

  /** Brings the result, and delivers what the gateway gives in its place. */
  #bring(kept: Kept, result: JsonObject): Promise<void> {
    kept.state = "returned";
    const { run, request, change } = kept;
    return this.#deliver(kept, { run, request, change, result: this.#brought(run, result) }, () => {
      this.#kept.delete(kept.id);
      return kept.left;
    });
  }

  #brought(run: string, result: JsonObject): Promise<JsonObject> {
    return this.#settings.bring(run, result, this.#closed.signal).then(
      (delivery) => delivery.result,
      () => noticeResult({ text: unreleased, run, what: "failed" }),
    );
  }

  /**
   * Delivers a result once it is released. A client that waits too long gets it by the same call.
   * @param leave Called when the wait is over: whether the client has left.
   */
  async #deliver(asked: Asked, released: Released, leave: () => Kept["left"]): Promise<void> {
    const { sleep, holdMilliseconds } = this.#settings;
    const closed = this.#closed.signal;
    const first = await Promise.race([released.result, sleep(holdMilliseconds, closed).then(() => "enough" as const)]);
    const left = leave();
    if (closed.aborted || left === "cancelled") return;
    if (first === "enough" || left === "timedOut") this.#park(asked, released);
    if (left === null)
      this.#answer(
        asked,
        first === "enough" ? waitingNotice(released.run, "response") : first,
        first === "enough" ? null : released.change,
      );
  }

  /** A call that ran does not run again, also where its model calls it without the answers. */
  #park({ same, call }: Asked, released: Released): void {
    for (const each of [same, call]) this.#parked.set(each, released);
    while (this.#parked.size > MOST_PARKED) {
      const [oldest = same] = this.#parked.keys();
      this.#parked.delete(oldest);
    }
    void this.#settings.sleep(PARKED_MILLISECONDS, this.#closed.signal).then(() => this.#unpark(released));
  }

  #unpark(released: Released): void {
    for (const [each, parked] of this.#parked) if (parked === released) this.#parked.delete(each);
  }

  #answer({ rawId, isStateless, asTask }: Asked, result: JsonObject, change: ArgumentChange | null = null): void {
    if (asTask) return this.#settings.toClient(responseLine(rawId, { error: { code: -1, message: noticeText(result) } }));
    const line = responseLine(rawId, { result: isStateless ? { resultType: "complete", ...result } : result });
    this.#settings.toClient(change === null ? line : decoded(withEditedNotice(encoder.encode(line), change)));
  }
}
