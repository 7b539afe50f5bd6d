// Asks the gateway before a client's call of a tool goes to the server: `countersign stdio
// --review-calls`. What is approved passes byte for byte as it came, or with the arguments that a
// reviewer approved; anything else is answered here, and the server hears nothing of it. Works on
// lines; uses no process or stream.

import { checkExact } from "../../shared/json/exact.ts";
import { IssueCollector } from "../../shared/json/issue-collector.ts";
import { type Members, isObject, objectOf, parseJson } from "../../shared/json/values.ts";
import { edited, textAt } from "../../shared/json/spans.ts";
import { argumentEdits, argumentsIn, callMethod, editedNotice, noticeResult, waitingNotice } from "../../shared/relay/call-notices.ts";
import { protocolVersionKey } from "../../shared/wire/mcp-2026/meta-keys.ts";
import { idKey } from "../../shared/wire/json-rpc.ts";
import type { JsonObject } from "../../shared/encoding.ts";
import type { Approval, ApprovalRequest } from "../approval.ts";
import { asRequest, isId, type JsonRpcId, objectIn } from "../rpc-messages.ts";
import { errorLine, lineRefusal } from "./client-line.ts";
import { decoded, rawIdIn, whole } from "./stateless-lines.ts";

type Settings = {
  readonly server: string;
  readonly holdMilliseconds: number;
  /** Asks the gateway. Rejects where that is not possible. */
  readonly decide: (call: ApprovalRequest, signal: AbortSignal) => Promise<Approval>;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Takes an approved line as if the client had sent it now. */
  readonly approved: (line: Uint8Array) => void;
  readonly toClient: (line: string) => void;
};

const unasked: Approval = { decision: "failed", message: "The gateway cannot be asked about this call now." };

/** Why a person might be shown another call than the one that the server reads; null where not. */
function whyUnclear(line: Uint8Array, { name, arguments: given = {} }: Members): string | null {
  if (typeof name !== "string" || !isObject(given)) return "name is a text, and arguments an object";
  const issues = new IssueCollector();
  const span = argumentsIn(line);
  if (span !== undefined) checkExact(textAt(line, span), issues);
  const [issue] = issues.found;
  return issue === undefined ? null : `/params/arguments${issue.pointer} ${issue.message}`;
}

/** A call that waits. */
type Held = { readonly left: AbortController };

/** More calls at once are refused, because each has a connection to the gateway. */
const MOST_AT_ONCE = 100;

export class ReviewedCalls {
  readonly #settings: Settings;
  readonly #held = new Map<string, Held>();
  /** Arguments as they came and as they ran, of calls whose response is to say so. */
  readonly #changed = new Map<string, { readonly before: string; readonly after: string }>();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** A line of the client. Returns it where it passes now. */
  fromClient(line: Uint8Array): Uint8Array | undefined {
    // What could be read in another way is refused by the relay.
    if (lineRefusal(line) !== null) return line;
    const value = parseJson(decoded(line));
    const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
    const cancelled = messages.filter((each) => isObject(each) && each["method"] === "notifications/cancelled");
    for (const each of cancelled) this.#cancel(objectIn(objectOf(each) ?? {}, "params")["requestId"]);
    if (!messages.some((each) => isObject(each) && each["method"] === callMethod)) return line;
    const request = asRequest(value);
    if (Array.isArray(value) || request === undefined)
      return this.#refuse(value, "Send each tools/call by itself, with an id: a person may have to decide about it");
    if (this.#held.size >= MOST_AT_ONCE) return this.#refuse(value, `More than ${MOST_AT_ONCE} calls wait at once`);
    if (this.#held.has(idKey(request.id))) return this.#refuse(value, "This id is in use");
    const wrong = whyUnclear(line, request.params);
    if (wrong !== null) return this.#refuse(value, wrong);
    void this.#hold(line, request);
    return undefined;
  }

  /** A line of the server as the client gets it: the response to a changed call says what ran. */
  fromServer(line: Uint8Array): Uint8Array {
    if (this.#changed.size === 0) return line;
    const message = objectOf(parseJson(decoded(line)));
    const id = message === null || "method" in message ? undefined : message["id"];
    const changed = isId(id) ? this.#changed.get(idKey(id)) : undefined;
    if (!isId(id) || changed === undefined) return line;
    this.#changed.delete(idKey(id));
    return edited(line, editedNotice(line, changed.before, changed.after));
  }

  /** One side has closed: nothing that waits is sent any more. */
  closed(): void {
    for (const { left } of this.#held.values()) left.abort();
    this.#held.clear();
  }

  #refuse(value: unknown, message: string): undefined {
    this.#settings.toClient(errorLine({ code: -32_600, message, value }));
  }

  #cancel(id: unknown): void {
    if (!isId(id)) return;
    this.#held.get(idKey(id))?.left.abort();
    this.#held.delete(idKey(id));
  }

  async #hold(line: Uint8Array, { id, params }: { readonly id: JsonRpcId; readonly params: Members }): Promise<void> {
    const { server, decide, approved, sleep, holdMilliseconds } = this.#settings;
    const key = idKey(id);
    const held: Held = { left: new AbortController() };
    this.#held.set(key, held);
    const enough = new AbortController();
    const span = argumentsIn(line);
    const given = span === undefined ? "{}" : textAt(line, span);
    const call = { tool: String(params["name"]), server, arguments: objectOf(params["arguments"]) ?? {} };
    const first = await Promise.race([
      decide(call, AbortSignal.any([held.left.signal, enough.signal])).catch(() => unasked),
      sleep(holdMilliseconds, held.left.signal).then(() => "enough" as const),
    ]);
    // A cancelled call gets no answer. Its review goes on without it, and nothing is sent for it.
    const isOver = this.#held.get(key) !== held;
    this.#held.delete(key);
    enough.abort();
    if (isOver) return;
    const raw = rawIdIn(line, whole(line), id);
    const isStateless = objectIn(params, "_meta")[protocolVersionKey] !== undefined;
    const answer = (result: JsonObject): void => this.#answer(raw, isStateless ? { resultType: "complete", ...result } : result);
    if (first === "enough") return answer(waitingNotice(null, "request"));
    if (first.decision !== "approved")
      return answer(noticeResult({ text: `${first.message} It was not run.`, run: first.id ?? null, what: first.decision }));
    if (!first.edited) return approved(line);
    const after = JSON.stringify(first.arguments);
    this.#changed.set(key, { before: given, after });
    approved(edited(line, argumentEdits(line, after)));
  }

  #answer(rawId: string, result: JsonObject): void {
    this.#settings.toClient(`{"jsonrpc":"2.0","id":${rawId},"result":${JSON.stringify(result)}}`);
  }
}
