// URL elicitation at the relay (MCP 2025-11-25, client/elicitation): the review's own address is
// offered to a client that declared it, and a server's elicitation that leads to the gateway is
// refused. An address of ours in a server's hands would lend it our name.

import { objectOf } from "../json/values.ts";
import { isPrivateHost } from "../address.ts";
import { isThisMachine } from "../this-machine.ts";
import type { JsonObject } from "../encoding.ts";
import type { RequestId, RpcError } from "../wire/json-rpc.ts";

/** Whether the client declared URL elicitation in its `initialize`. */
export const declaresUrlElicitation = (params: JsonObject | null): boolean =>
  objectOf(objectOf(objectOf(params?.["capabilities"])?.["elicitation"])?.["url"]) !== null;

export const elicitationMethod = "elicitation/create";
/** An error of a server that wants its client to open addresses first. */
const urlElicitationRequired = -32_042;

const ownIds = "countersign/review/";

/**
 * What the gateway's own requests to a client are named by: ids in revisions with sessions, keys of
 * a round in 2026-07-28.
 */
const ownNames = "countersign/";

/**
 * Whether a server names a request as the gateway names its own, so that a client would take it for
 * the gateway's.
 */
export const isNamedAsOurs = (name: RequestId): boolean => typeof name === "string" && folded(name).startsWith(ownNames);

/** Without what is not seen, as one width and case. */
const folded = (name: string): string =>
  name
    .normalize("NFKC")
    .replaceAll(/[\p{C}\p{M}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, "")
    .toLowerCase();

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

/**
 * Whether an address leads to the host of `publicUrl`, however it is written: without its scheme,
 * with another one, or, on a developer's machine, by another of the machine's names. Elsewhere
 * every port of the host counts as the gateway.
 */
export function leadsTo(url: unknown, publicUrl: string): boolean {
  if (typeof url !== "string") return false;
  const own = new URL(publicUrl);
  return readings(url).some((each) => hostOf(each) === hostOf(own) && (hostOf(own) !== thisMachine || portOf(each) === portOf(own)));
}

const thisMachine = "localhost";

/** One name for all that a machine calls itself. A host may end with a dot. */
const hostOf = ({ hostname }: URL): string => (isThisMachine(hostname) ? thisMachine : hostname.replace(/\.$/, ""));

/** On one machine, another port is another program. */
const portOf = ({ port, protocol }: URL): string => port || (protocol === "https:" ? "443" : "80");

/**
 * An address as browsers read it, and as what people type: without a scheme, or behind one that
 * wraps another address.
 */
function readings(url: string): readonly URL[] {
  const text = url.trim();
  const bare = text.replace(/^(?:[a-z][a-z0-9+.-]*:(?=[a-z][a-z0-9+.-]*:))*(?:[a-z][a-z0-9+.-]*:)?[/\\]+/i, "");
  // Not `URL.parse`, which the client's Node 20 lacks.
  return [text, `http://${bare}`].flatMap((each) => (URL.canParse(each) ? [new URL(each)] : []));
}

/**
 * Why an address that a server wants opened is not shown to anybody; null where it may be. It is
 * opened in a person's browser, and never fetched from here.
 */
export function addressFault(
  url: string,
  { elicitationHosts, allowPrivate }: { readonly elicitationHosts?: readonly string[] | undefined; readonly allowPrivate: boolean },
): string | null {
  if (!URL.canParse(url)) return "must be an address";
  const { protocol, hostname, username, password } = new URL(url);
  if (protocol !== "https:") return "must be an https address";
  if (username !== "" || password !== "") return "must not have a user name or password in it";
  if (!allowPrivate && isPrivateHost(hostname)) return "must not be a private address";
  return elicitationHosts === undefined || elicitationHosts.includes(hostname)
    ? null
    : "is at a host to which this server may not lead anybody (elicitationHosts)";
}

/** Whether the params of a server's elicitation lead to the gateway. */
export const elicitsOurs = (params: JsonObject | null, publicUrl: string): boolean => leadsTo(params?.["url"], publicUrl);

/**
 * For a response that wants addresses opened, one of which is the gateway's: the error that the
 * client gets in its place.
 */
export function withoutOurs(value: unknown, publicUrl: string): (JsonObject & { readonly error: RpcError }) | undefined {
  const message = objectOf(value);
  const error = objectOf(message?.["error"]);
  if (message === null || error?.["code"] !== urlElicitationRequired) return undefined;
  const elicitations = objectOf(error["data"])?.["elicitations"];
  if (!Array.isArray(elicitations) || !elicitations.some((each) => elicitsOurs(objectOf(each), publicUrl))) return undefined;
  return { ...message, error: { code: -32_603, message: refusedElicitation } };
}

/** A server may not lead anybody to an address of the gateway: that would lend it our name. */
export const ownAddress = { pointer: "/url", message: "is an address of the gateway, which only the gateway itself may offer" } as const;

export const refusedElicitation = "The MCP server asked to open an address of the gateway itself, which only the gateway may offer";
