// The servers document: which MCP servers the relay reaches, how, and what they may ask of it. It
// reaches nothing else.

import * as z from "zod";
import { keyBudgetSchema } from "../budget/budgets.ts";
import type { LoginAccount } from "../credential/login-account.ts";
import type { JsonObject } from "../encoding.ts";
import { jsonSchemaOf } from "../json/json-schema-of.ts";
import { isReservedServer } from "../wire/mcp-2025/meta.ts";
import { limitsSchema } from "../policy/limits.ts";
import { entryAllows } from "../policy/tool-names.ts";
import { toolNamesSchema } from "../policy/tool-names-schema.ts";
import { err, ok, type Result } from "../result.ts";
import { isPrivateHost, readBaseUrl } from "../address.ts";
import { environmentName } from "../environment-name.ts";
import { pointerTo, issueAt, issuesOf, type Issue } from "../routing/issues.ts";
import type { IssueKey } from "../words/issues.ts";
import type { AnswerSettings } from "./answered-here.ts";
import type { SamplingSettings } from "./sampling-settings.ts";

/** Names a server in paths, in policy and on the review page. */
const serverName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "serverName")
  .refine((name) => !isReservedServer(name), "reservedName");

/** A token for `/v1` lives so long at most: it is for the time of one client request. */
export const mostTokenSeconds = 3_600;

/** Headers that say what a message is, or who sends it: the relay writes them itself. */
const ownHeaders =
  /^(?:authorization|accept|content-.*|cookie|host|connection|transfer-encoding|upgrade|origin|referer|mcp-.*|last-event-id|x-countersign-.*|cf-.*|x-forwarded-.*|forwarded)$/i;

const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, "headerName")
  .refine((value) => !ownHeaders.test(value), "ownHeader");

/** One server, as the document names it. */
export const serverSchema = z.strictObject({
  /** The server's MCP endpoint (Streamable HTTP). */
  url: z.string().max(2_000),
  /** Names the environment secret that is sent as `Authorization: Bearer`. */
  secret: environmentName.optional(),
  /** Sent with every request. Not for credentials: this document would have them as plain text. */
  headers: z.record(headerName, z.string().regex(/^[\x20-\x7e]{0,1000}$/, "headerCharacters")).default({}),
  /**
   * Passes the client's own Authorization on; the gateway's key then comes in X-Countersign-Key.
   */
  passAuthorization: z.boolean().default(false),
  /**
   * Each owner of a key signs in at this server by OAuth, and its requests carry the token of that
   * owner. `scopes`: absent, those that the server names. `clientId`: where the gateway was
   * registered by hand at this `issuer`, with this variable's `secret`; absent, it registers itself
   * at the issuer that the server names. A server that named the issuer of a `clientId` too would
   * decide who gets the secret, and the codes of those who sign in.
   */
  auth: z
    .strictObject({
      kind: z.enum(["oauth"]),
      scopes: z
        .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/, "scope"))
        .max(100)
        .optional(),
      clientId: z
        .string()
        .regex(/^[\x20-\x7e]{1,2000}$/, "clientId")
        .optional(),
      issuer: z.string().max(2_000).optional(),
      secret: environmentName.optional(),
    })
    .optional(),
  /** Lets the URL be a private or loopback address, and plain http. */
  allowPrivate: z.boolean().default(false),
  /**
   * Which revisions are spoken to the server: those with sessions (`2025`: 2024-11-05 to
   * 2025-11-25), or 2026-07-28. `auto`: as the server says when it is asked first.
   */
  protocol: z.enum(["auto", "2025", "2026"]).default("auto"),
  /**
   * Who answers sampling: the gateway always, the client, or the gateway where the client cannot.
   */
  mode: z.enum(["fulfil", "forward", "fallback"]).default("fulfil"),
  /**
   * Who answers a server's forms (elicitation): as `mode` says it of sampling. A person does, at a
   * page of the gateway, where the gateway answers.
   */
  elicitation: z.enum(["forward", "fulfil", "fallback"]).default("forward"),
  /**
   * The hosts, in lower case, whose addresses this server may ask a person to open, where the
   * gateway answers its forms. Absent: every public one.
   */
  elicitationHosts: z
    .array(z.string().regex(/^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/, "hostName"))
    .max(100)
    .optional(),
  /** The roots that the gateway tells this server where the client declares none. */
  roots: z
    .array(
      z.strictObject({
        uri: z
          .string()
          .max(2_000)
          .regex(/^file:[/]{2}/, "notFileUri"),
        name: z.string().max(200).optional(),
      }),
    )
    .max(100)
    .optional(),
  /**
   * Which client request a sampling request serves: see `relay-association.ts`. `auto`: what its
   * response stream or a named task shows, else the only request in flight; `strict`: only what is
   * shown; `inFlight`: as `auto`, and of several in flight the newest.
   */
  association: z.enum(["auto", "strict", "inFlight"]).default("auto"),
  /**
   * Whether `sampling.context` is declared. `added-context.ts` adds it, only where the policy's
   * rule says so.
   */
  context: z.boolean().default(false),
  /**
   * `true` or `false`: whether `sampling.tools` is declared to the server, which some strict
   * servers refuse. An object says so as `sampling`, and which of the server's own tools clients
   * see and may call: `allow` and `deny` are globs of names.
   */
  tools: z.union([z.boolean(), toolNamesSchema.extend({ sampling: z.boolean().default(true) })]).default(true),
  /**
   * Whether the definitions of the server's tools are pinned: `warn` shows operators what changed,
   * `hold` also hides a changed or new tool from clients until an operator accepts it.
   */
  pin: z.enum(["off", "warn", "hold"]).default("off"),
  /** Whether sampling as a task is declared to the server, in revisions that have tasks. */
  tasks: z.boolean().default(true),
  /** Exact names of tools whose calls may sample; absent: every call may. */
  samplingTools: z.array(z.string().min(1).max(512)).max(500).optional(),
  /** Whether rules believe what its tools say of themselves (`when.annotations`). */
  trustAnnotations: z.boolean().default(false),
  /**
   * Who may connect clients by OAuth (docs/oauth.md), and what the key of each carries. Absent:
   * everybody of the policy who has an email address, and the key has no limits of its own.
   */
  connections: z
    .strictObject({
      /**
       * Names of the policy's groups and people: those of them who have an email address. None:
       * nobody.
       */
      reviewers: z.array(z.string().min(1).max(64)).max(100).optional(),
      tools: toolNamesSchema.optional(),
      limits: limitsSchema.optional(),
      budget: keyBudgetSchema.optional(),
      /** After so many days at most a person has to connect it again. */
      mostDays: z.int().min(1).max(3_650).optional(),
    })
    .optional(),
  /** Whether a receipt goes with each call that it is sent and each answer that it gets. */
  receipts: z.boolean().default(false),
  /**
   * Lets this server trade a sampling request for a token for `/v1` (docs/v1.md): which models, how
   * much money and how long each may be used for. None unless given. A token goes only to a server
   * at https, or to one that `allowPrivate` names.
   */
  v1Tokens: z
    .strictObject({
      models: z.array(z.string().min(1).max(128)).min(1).max(100).optional(),
      maxUsd: z.number().positive().max(1_000),
      maxSeconds: z.int().min(10).max(mostTokenSeconds),
    })
    .optional(),
  /**
   * Exact names of tools that callers of `POST /control` may have run as functions; none unless
   * listed.
   */
  functions: z.array(z.string().min(1).max(256)).max(500).default([]),
  /** Origins of web pages that may use the relay; `PUBLIC_URL`'s own may always. */
  origins: z
    .array(z.string().regex(/^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?$/, "notOrigin"))
    .max(50)
    .default([]),
});

const serversSchema = z.strictObject({
  version: z.int().nonnegative().default(0),
  servers: z.record(serverName, serverSchema).default({}),
});

export type Servers = z.infer<typeof serversSchema>;
/** `login`: at a server with `auth`, whose own login a request carries. It is in no document. */
export type Server = z.infer<typeof serverSchema> & { readonly login?: Login };
export type ConnectionTerms = NonNullable<Server["connections"]>;
export type Pin = Server["pin"];

/**
 * The login of a key's owner at a server; `owner` is null where the key has none. `account`: whose
 * it was when this request came, and a token of another account is not sent with it.
 */
type Login = { readonly server: string; readonly owner: string | null; readonly account?: LoginAccount };

/** The server as a key of this owner reaches it. `name`: in the servers document. */
export const reachedBy = (server: Server, name: string, owner: string | null | undefined, account?: LoginAccount): Server =>
  server.auth === undefined
    ? server
    : { ...server, login: { server: name, owner: owner ?? null, ...(account === undefined ? {} : { account }) } };

/** What an operator may write, for editors and for `docs/relay.md`. */
export const serversJsonSchema = (): JsonObject => jsonSchemaOf(serversSchema);

/**
 * Reads a servers document from parsed JSON. Refused, each with a pointer and no value from the
 * document: what the schema refuses, URLs that carry credentials, a query or a fragment, private or
 * plain-http ones without `allowPrivate`, an entry with two of a secret, `passAuthorization` and
 * `auth`, with functions and one of the last two, or with `passAuthorization` and connections, and
 * a name that would mean two functions.
 */
export function parseServers(value: unknown): Result<Servers, Issue[]> {
  const parsed = serversSchema.safeParse(value);
  if (!parsed.success) return err(issuesOf(parsed.error.issues));
  const issues: Issue[] = [];
  for (const [name, entry] of Object.entries(parsed.data.servers)) {
    const at = (member: string, said: IssueKey): number => issues.push(issueAt(pointerTo(["servers", name, member]), said));
    const url = urlIssue(entry.url, entry.allowPrivate);
    if (url !== null) at("url", url);
    if (entry.passAuthorization && entry.secret !== undefined) at("secret", "besidePass");
    if (entry.passAuthorization && entry.functions.length > 0) at("functions", "functionsPass");
    if (entry.passAuthorization && entry.connections !== undefined) at("connections", "besidePass");
    if (entry.auth === undefined) continue;
    if (entry.passAuthorization) at("auth", "besidePass");
    if (entry.secret !== undefined) at("secret", "besideAuth");
    if (entry.functions.length > 0) at("functions", "functionsAuth");
    const { clientId, issuer, secret } = entry.auth;
    if ((clientId === undefined) !== (issuer === undefined) || (secret !== undefined && clientId === undefined)) at("auth", "authClient");
    const issuerUrl = issuer === undefined ? null : urlIssue(issuer, entry.allowPrivate);
    if (issuerUrl !== null) issues.push(issueAt(pointerTo(["servers", name, "auth", "issuer"]), issuerUrl));
  }
  issues.push(...functionIssues(parsed.data));
  return issues.length === 0 ? ok(parsed.data) : err(issues);
}

function urlIssue(text: string, allowPrivate: boolean): IssueKey | null {
  const url = readBaseUrl(text);
  if (url === undefined) return "notUrl";
  if (url.extras) return "urlExtras";
  if (!allowPrivate && isPrivateHost(url.host)) return "urlPrivate";
  return !allowPrivate && url.scheme !== "https" ? "urlNotHttps" : null;
}

/** What connections to a server carry; null where nobody may connect a client to it. */
export const connectionTerms = ({ passAuthorization, connections = {} }: Server): ConnectionTerms | null =>
  passAuthorization || connections.reviewers?.length === 0 ? null : connections;

/** How the sampling of a server is answered, and what of it is declared. */
export const samplingSettings = ({ mode, context, tools, tasks }: Server): SamplingSettings => ({
  mode,
  context,
  tools: typeof tools === "boolean" ? tools : tools.sampling,
  tasks,
});

/** The same of everything that is answered in a client's place. */
export const answerSettings = (server: Server): AnswerSettings => ({
  ...samplingSettings(server),
  elicitation: server.elicitation,
  roots: server.roots,
});

/** Whether clients may see and call a tool by the globs of its server's entry. */
export const showsTool = ({ tools }: Pick<Server, "tools">, tool: string): boolean =>
  typeof tools === "boolean" || entryAllows(tools, tool);

/** Whether the definitions of the server's tools are kept as its lists pass: by a ToolsObject. */
export const keepsDefinitions = ({ pin, trustAnnotations }: Pick<Server, "pin" | "trustAnnotations">): boolean =>
  pin !== "off" || trustAnnotations;

/** The names of a function for callers: the tool's own, or the server's with it. */
export const functionNames = (server: string, tool: string): readonly [string, string] => [tool, `${server}/${tool}`];

/**
 * Refuses a name that would mean two functions, also of different servers, and a function that is
 * listed twice.
 */
function functionIssues({ servers }: Servers): Issue[] {
  const issues: Issue[] = [];
  const functionsByName = new Map<string, string>();
  for (const [server, entry] of Object.entries(servers)) {
    for (const [index, tool] of entry.functions.entries()) {
      const names = functionNames(server, tool);
      const [, whole] = names;
      const pointer = pointerTo(["servers", server, "functions", index]);
      if (names.some((name) => functionsByName.get(name) === whole)) issues.push(issueAt(pointer, "listedTwice"));
      else if (names.some((name) => functionsByName.has(name))) issues.push(issueAt(pointer, "functionTwice"));
      for (const name of names) if (!functionsByName.has(name)) functionsByName.set(name, whole);
    }
  }
  return issues;
}
