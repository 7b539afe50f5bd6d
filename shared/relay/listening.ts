// What a client of 2026-07-28 listens to beside its requests (`subscriptions/listen`), at a server
// with sessions. Pure: it sends nothing. Source: `SubscriptionFilter` and its messages in the
// schema of 2026-07-28; basic/patterns/subscriptions.

import type { JsonObject } from "../encoding.ts";
import { isObject, objectOf, parseJson } from "../json/values.ts";
import { type Result, err, ok } from "../result.ts";
import type { RequestId } from "../wire/json-rpc.ts";
import { serverInfoKey, subscriptionIdKey } from "../wire/mcp-2026/meta-keys.ts";
import { listFilters } from "./translation.ts";

type ListCapability = keyof typeof listFilters;
const listCapabilities = Object.keys(listFilters) as readonly ListCapability[];

/** A `SubscriptionFilter`: only what is asked for. */
export type ListenFilter = {
  readonly lists: readonly ListCapability[];
  /** The addresses of resources. */
  readonly uris: readonly string[];
};

export const mostUris = 64;
const longestUri = 2_048;

/** The filter in the params of the request, or what is wrong with it. */
export function readFilter(params: JsonObject): Result<ListenFilter, string> {
  const filter = params["notifications"];
  if (!isObject(filter)) return err("notifications is required, an object");
  const lists: ListCapability[] = [];
  for (const capability of listCapabilities) {
    const wanted = filter[listFilters[capability]];
    if (wanted !== undefined && typeof wanted !== "boolean") return err(`notifications.${listFilters[capability]} is true or false`);
    if (wanted === true) lists.push(capability);
  }
  const given = filter["resourceSubscriptions"] ?? [];
  if (!Array.isArray(given) || !given.every((each): each is string => typeof each === "string"))
    return err("notifications.resourceSubscriptions is a list of URIs");
  const uris = [...new Set(given)];
  if (uris.length > mostUris) return err(`notifications.resourceSubscriptions has more than ${mostUris} URIs`);
  return uris.every((uri) => uri.length <= longestUri && uri.isWellFormed())
    ? ok({ lists, uris })
    : err(`notifications.resourceSubscriptions has a URI of more than ${longestUri} characters, or one that is no Unicode text`);
}

/** The part of a filter that a server with these capabilities tells of. */
export function supportedPart({ lists, uris }: ListenFilter, capabilities: JsonObject): ListenFilter {
  const has = (capability: string, member: string): boolean => objectOf(capabilities[capability])?.[member] === true;
  return { lists: lists.filter((each) => has(each, "listChanged")), uris: has("resources", "subscribe") ? uris : [] };
}

export const isEmptyFilter = ({ lists, uris }: ListenFilter): boolean => lists.length === 0 && uris.length === 0;

/**
 * What a notification of the server says to somebody who listens, as text without the
 * subscription's id; null where it says nothing of that kind. Only the members that the schema has
 * for it: a server's own ones could be of any size.
 */
export function changeOf(method: string, params: JsonObject | null): string | null {
  const uri = params?.["uri"];
  if (method === "notifications/resources/updated")
    return typeof uri === "string" && uri.length <= longestUri ? JSON.stringify({ method, params: { uri } }) : null;
  return listCapabilities.some((each) => method === `notifications/${each}/list_changed`) ? JSON.stringify({ method, params: {} }) : null;
}

/** Whether a filter asks for a change. `change` is from `changeOf`. */
export function isWanted({ lists, uris }: ListenFilter, change: string): boolean {
  const message = objectOf(parseJson(change));
  const uri = objectOf(message?.["params"])?.["uri"];
  if (typeof uri === "string") return uris.some((each) => isWithin(uri, each));
  return lists.some((each) => message?.["method"] === `notifications/${each}/list_changed`);
}

/**
 * An update may be of a part of the resource that was subscribed to
 * (`ResourceUpdatedNotificationParams`).
 */
const isWithin = (uri: string, whole: string): boolean =>
  uri === whole || (uri.startsWith(whole) && (whole.endsWith("/") || "/?#".includes(uri.charAt(whole.length))));

/** The first message to the client: what of its filter the server tells of. */
export const acknowledgement = (id: RequestId, { lists, uris }: ListenFilter): JsonObject =>
  withSubscription(id, {
    method: "notifications/subscriptions/acknowledged",
    params: {
      notifications: {
        ...Object.fromEntries(lists.map((each) => [listFilters[each], true])),
        ...(uris.length === 0 ? {} : { resourceSubscriptions: [...uris] }),
      },
    },
  });

/** A change as the client of this request is told of it. `change` is from `changeOf`. */
export const toldChange = (id: RequestId, change: string): JsonObject => withSubscription(id, objectOf(parseJson(change)) ?? {});

const withSubscription = (id: RequestId, { method, params }: JsonObject): JsonObject => ({
  jsonrpc: "2.0",
  method: method ?? "",
  params: { ...objectOf(params), _meta: { [subscriptionIdKey]: id } },
});

/**
 * The result of the request, where the subscription ends by itself. `initialized`: the server's own
 * result of `initialize`.
 */
export const listenResult = (id: RequestId, initialized: JsonObject): JsonObject => ({
  resultType: "complete",
  _meta: {
    [subscriptionIdKey]: id,
    ...(isObject(initialized["serverInfo"]) ? { [serverInfoKey]: initialized["serverInfo"] } : {}),
  },
});
