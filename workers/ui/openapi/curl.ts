// The command that sends an operation's request, for bash and zsh. What only the reader knows are
// variables: $API_KEY, $ADMIN_TOKEN, and one for each parameter of the path.

import type { Operation, Parameter, SecurityScheme } from "./description.ts";

/** Why there is no command: a page of ours sends it, or it opens a WebSocket. */
type NoCurl = "form" | "webSocket";

type CurlInput = { readonly operation: Operation; readonly base: string; readonly schemes: Readonly<Record<string, SecurityScheme>> };

export function curlOf({ operation, base, schemes }: CurlInput): { readonly command: string } | { readonly none: NoCurl } {
  const { method, path, parameters, requestBody, responses } = operation;
  const [type, body] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (type === "application/x-www-form-urlencoded") return { none: "form" };
  // Upgrade Required: what it takes is no plain request.
  if ("426" in responses) return { none: "webSocket" };
  const wanted = parameters.filter(({ required }) => required);
  const query = wanted.filter((each) => each.in === "query").map(({ name }) => `${name}=${variable(name)}`);
  const url = `${base}${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => variable(name))}${query.length === 0 ? "" : `?${query.join("&")}`}`;
  const headers = [...credential(operation, schemes), ...wanted.filter((each) => each.in === "header").map(headerOf)];
  const lines = [
    `curl ${method === "GET" || (method === "POST" && body !== undefined) ? "" : `-X ${method} `}"${url}"`,
    ...headers.map((header) => `-H "${header}"`),
    ...(body === undefined ? [] : [`-H "Content-Type: ${type}"`, `-d '${quoted(body.example ?? {})}'`]),
  ];
  return { command: lines.join(" \\\n  ") };
}

/** `$SERVER` for `server`; `$IF_MATCH` for `If-Match`. */
const variable = (name: string): string =>
  `$${name
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toUpperCase()}`;

const headerOf = ({ name }: Parameter): string => `${name}: ${variable(name)}`;

/** The variables of the ways in that are no API key. */
const credentials: Readonly<Record<string, string>> = { admin: "ADMIN_TOKEN", metrics: "METRICS_TOKEN" };

/** The first way in that the operation names. */
function credential({ security }: Operation, schemes: CurlInput["schemes"]): string[] {
  const [name] = Object.keys(security[0] ?? {});
  const scheme = name === undefined ? undefined : schemes[name];
  return scheme === undefined ? [] : [`Authorization: Bearer $${credentials[name ?? ""] ?? "API_KEY"}`];
}

/** In single quotes both shells leave everything as it is but the quote itself. */
const quoted = (value: unknown): string =>
  JSON.stringify(value, null, 1)
    .replaceAll(/\n */g, " ")
    .replaceAll("'", String.raw`'\''`);
