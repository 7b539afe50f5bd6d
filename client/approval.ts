// Asks people at a Countersign gateway about a tool's call that the host makes itself, and about
// what it returned, and waits until they have decided.

import { Gateway, checkGateway, platformFetch } from "./gateway.ts";
import type { FetchLike } from "./response-streams.ts";
import { type Timing, platformTiming } from "./timing.ts";
import { quiet, reportError } from "./warnings.ts";

export type ApprovalRequest = {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** What the client answers the tool's server with this call, by key (MCP 2026-07-28). */
  readonly inputResponses?: Readonly<Record<string, unknown>>;
  /** For the policy and the review page; by default `approvals`. */
  readonly server?: string;
  /** What the reviewer is shown of the tool, as in MCP's `tools/list`. */
  readonly title?: string;
  readonly description?: string;
  /** The JSON Schema of the arguments. */
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>>;
  /** The host brings what the tool returns (`returnResult`), where the approval asks for it. */
  readonly returnsResult?: boolean;
  /** The call is a task, whose result the host cannot bring: denied where a rule is about that. */
  readonly asTask?: boolean;
};

export type Approval =
  | {
      readonly decision: "approved";
      readonly id: string;
      /** Who decided: a person, the policy, or a grant that a person gave before. */
      readonly mode: "human" | "policy" | "grant";
      /** Call the tool with these: a reviewer may have changed them. */
      readonly arguments: Readonly<Record<string, unknown>>;
      /** Of a request with some: send these with the call. */
      readonly inputResponses?: Readonly<Record<string, unknown>>;
      readonly edited: boolean;
      /** What the tool returns goes to `returnResult`, and to nobody before. */
      readonly returnsResult?: true;
    }
  | {
      /** The call must not be made. */
      readonly decision: "denied" | "expired" | "undeliverable" | "cancelled" | "failed";
      readonly id?: string;
      readonly mode?: "human" | "policy";
      /** The reviewer's, where the policy lets it be told. */
      readonly reason?: string;
      /** One sentence, for a model. */
      readonly message: string;
    };

/** `result`: to deliver, as MCP's `CallToolResult`; an error result where it may not be. */
export type ResultDelivery = {
  readonly id: string;
  readonly decision: Approval["decision"];
  readonly result: Readonly<Record<string, unknown>>;
};

export type ApprovalOptions = {
  /** The gateway's base address, `https://…`. */
  readonly url: string;
  /** An API key of the gateway. Sent to `url` only, and never in an error. */
  readonly apiKey: string;
  /**
   * What this call is, 1-255 visible ASCII characters: the same id gets the same decision. By
   * default each call of `requestApproval` is another.
   */
  readonly id?: string;
  /**
   * Ends the wait. The review goes on, and the next identical request gets its decision;
   * `withdrawApproval` ends it too.
   */
  readonly signal?: AbortSignal;
  /** In milliseconds; by default 15 minutes. Longer than the policy's deadline. */
  readonly deadlineMilliseconds?: number;
  /**
   * Called at once where the gateway cannot be reached, is silent or refuses the key; by default a
   * line on stderr. Never has content.
   */
  readonly onError?: (error: Error) => void;
  /** For the gateway only; by default the platform's. */
  readonly fetch?: FetchLike;
  /** For tests. */
  readonly timing?: Timing;
};

const silenceMilliseconds = 60_000;

/**
 * The decision about a call. Asks again where the connection breaks, about the same call.
 * @throws TypeError where an option cannot work, RpcError where the gateway refuses or does not
 *   answer, the signal's reason where it is aborted. Then too the call must not be made.
 */
export async function requestApproval(request: ApprovalRequest, options: ApprovalOptions): Promise<Approval> {
  const { id = crypto.randomUUID(), signal = new AbortController().signal } = options;
  return (await gatewayOf(options).decide(request, id, signal)) as Approval; // as the gateway's POST /approvals answers
}

/**
 * What to deliver of an approved call: its result as people released it, or an error result in its
 * place. `result`: what the tool returned, as MCP's `CallToolResult`.
 * @throws as `requestApproval`. Then nothing of the result may be delivered.
 */
export async function returnResult(
  approval: { readonly id: string },
  result: Readonly<Record<string, unknown>>,
  options: Omit<ApprovalOptions, "id">,
): Promise<ResultDelivery> {
  const { signal = new AbortController().signal } = options;
  return (await gatewayOf(options).bring(approval.id, result, signal)) as ResultDelivery; // as the gateway answers
}

/**
 * Withdraws the review that `requestApproval` asked for under this `id`: nobody has to decide any
 * more, and nothing is approved. Resolves once the gateway knows, or cannot be told, which
 * `onError` hears. Never rejects.
 * @throws TypeError where an option cannot work.
 */
export async function withdrawApproval(id: string, options: Omit<ApprovalOptions, "id" | "signal">): Promise<void> {
  const gateway = gatewayOf(options);
  gateway.withdraw(id);
  await gateway.flush();
}

function gatewayOf(options: ApprovalOptions): Gateway {
  checkGateway(options);
  const { url, apiKey, fetch = platformFetch, timing = platformTiming, deadlineMilliseconds = 15 * 60_000 } = options;
  const onError = quiet(options.onError ?? reportError);
  return new Gateway({ url, apiKey, fetch, timing, deadlineMilliseconds, silenceMilliseconds, onError });
}
