// URL elicitation at the relay (MCP 2025-11-25, client/elicitation): the review's own address is offered to a client that declared it, and a
// server's elicitation that leads to the gateway is refused. An address of ours in a server's hands would lend it our name.

import { objectOf } from "../json/values.ts";
import type { JsonObject } from "../encoding.ts";
import type { RequestId } from "../wire/json-rpc.ts";

/** Whether the client declared URL elicitation in its `initialize`. */
export const declaresUrlElicitation = (params: JsonObject | null): boolean =>
  objectOf(objectOf(objectOf(params?.["capabilities"])?.["elicitation"])?.["url"]) !== null;

export const elicitationMethod = "elicitation/create";
/** An error of a server that wants its client to open addresses first. */
const urlElicitationRequired = -32_042;

const ownIds = "countersign/review/";

/** The request that offers an address to the client. `offer`: unique, and no secret. */
export const offerOf = (offer: string, url: string, message: string): JsonObject => ({
  jsonrpc: "2.0",
  id: ownIds + offer,
  method: elicitationMethod,
  params: { mode: "url", elicitationId: offer, url, message },
});

/** The notification that the offer needs nothing any more. */
export const offerDone = (offer: string): JsonObject => ({
  jsonrpc: "2.0",
  method: "notifications/elicitation/complete",
  params: { elicitationId: offer },
});

/** Whether a response of the client is to an offer of ours: the server never hears of it. */
export const isOfferId = (id: RequestId): boolean => typeof id === "string" && id.startsWith(ownIds);

/** Whether an address leads to the host of `publicUrl`, however it is written. */
export function leadsTo(url: unknown, publicUrl: string): boolean {
  // Not `URL.parse`, which the client's Node 20 lacks.
  const target = typeof url === "string" && URL.canParse(url) ? new URL(url) : null;
  // A host may end with a dot.
  const hostOf = ({ hostname, port }: URL): string => `${hostname.replace(/\.$/, "")}:${port}`;
  return target !== null && hostOf(target) === hostOf(new URL(publicUrl));
}

/** Whether the params of a server's elicitation lead to the gateway. */
export const elicitsOurs = (params: JsonObject | null, publicUrl: string): boolean => leadsTo(params?.["url"], publicUrl);

/** For a response that wants addresses opened, one of which is the gateway's: the error that the client gets in its place. */
export function withoutOurs(value: unknown, publicUrl: string): JsonObject | undefined {
  const message = objectOf(value);
  const error = objectOf(message?.["error"]);
  if (message === null || error?.["code"] !== urlElicitationRequired) return undefined;
  const elicitations = objectOf(error["data"])?.["elicitations"];
  if (!Array.isArray(elicitations) || !elicitations.some((each) => elicitsOurs(objectOf(each), publicUrl))) return undefined;
  return { ...message, error: { code: -32_603, message: refusedElicitation } };
}

export const refusedElicitation = "The MCP server asked to open an address of the gateway itself, which only the gateway may offer";
