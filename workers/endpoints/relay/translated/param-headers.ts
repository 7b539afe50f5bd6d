// The `Mcp-Param-…` headers of a tool call for a client that does not know of them: a server may
// have its tools' schemas say which arguments are repeated in headers. The tool's schema is asked
// for where the server misses one, and remembered by this isolate. Source: 2026-07-28,
// basic/transports/streamable-http, "Custom Headers from Tool Parameters".

import type { JsonObject } from "../../../../shared/encoding.ts";
import { isObject, objectOf } from "../../../../shared/json/values.ts";
import { type ParamHeader, headersFor, paramHeadersIn } from "../../../../shared/wire/mcp-2026/param-headers.ts";
import { answerOf, askStateless } from "../../../mcp-client/stateless-call.ts";
import { isolateMap } from "../../../platform/isolate.ts";
import type { AppContext } from "../../app-context.ts";
import type { RelayRequest } from "../relay-request.ts";

const known = isolateMap<string, readonly ParamHeader[]>();
const mostKnown = 1_000;
/** A list of tools has pages. */
const mostPages = 20;
const askMs = 15_000;

const nameOf = ({ server }: RelayRequest, tool: unknown): string => `${server.url} ${String(tool)}`;

type Headers = readonly (readonly [string, string])[];

/** The headers by the schema that is known; none where it is not. */
export function knownParamHeaders(relay: RelayRequest, params: JsonObject): Headers {
  const headers = known.get(nameOf(relay, params["name"]));
  return headers === undefined ? [] : headersFor(headers, params["arguments"]);
}

/** Reads the tool's schema again; null where that does not change the headers. */
export async function learnedParamHeaders(
  c: AppContext,
  relay: RelayRequest,
  params: JsonObject,
  meta: JsonObject,
): Promise<Headers | null> {
  const schema = await schemaOf(c, relay, params["name"], meta);
  const before = JSON.stringify(knownParamHeaders(relay, params));
  if (known.size >= mostKnown) known.clear();
  known.set(nameOf(relay, params["name"]), schema === null ? [] : paramHeadersIn(schema));
  const headers = knownParamHeaders(relay, params);
  return JSON.stringify(headers) === before ? null : headers;
}

async function schemaOf(c: AppContext, relay: RelayRequest, tool: unknown, meta: JsonObject): Promise<JsonObject | null> {
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const params = JSON.stringify({ _meta: meta, ...(cursor === undefined ? {} : { cursor }) });
    const { authorization } = relay;
    const signal = AbortSignal.timeout(askMs);
    const asked = await askStateless(c.env, relay.server, { id: "tools", method: "tools/list", name: null, params, authorization, signal });
    const answer = asked.ok ? await answerOf(asked.value, "tools") : asked;
    const result = answer.ok ? objectOf(answer.value.message["result"]) : null;
    const tools = result?.["tools"];
    const found = Array.isArray(tools) ? tools.find((each) => isObject(each) && each["name"] === tool) : undefined;
    if (found !== undefined) return objectOf(objectOf(found)?.["inputSchema"]);
    const next = result?.["nextCursor"];
    if (typeof next !== "string") return null;
    cursor = next;
  }
  return null;
}
