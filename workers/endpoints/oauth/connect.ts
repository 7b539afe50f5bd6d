// Where a signed-in person lets a client in by OAuth, sees the clients that were let in, and ends
// them. What a client gets is a key of that person's for one server: it carries what every key
// carries, and it is never shown. A GET of these pages allows and ends nothing.

import { Hono } from "hono";
import { isLoopbackHost } from "../../../shared/this-machine.ts";
import { digestOf } from "../../../shared/encoding.ts";
import { jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import type { Operator } from "../../../shared/record/record.ts";
import { formFields } from "../../../shared/review/form.ts";
import { connectTarget, inboxNameOf } from "../../../shared/review/inbox.ts";
import { judgeNonce } from "../../../shared/review/link.ts";
import type { AskError, AskedAccess, Issuer } from "../../oauth/worker.ts";
import { connectUrl, connectionsUrl, loginsUrl, pathOfUrl, paths } from "../../platform/urls.ts";
import { type ConnectionTerms, connectionTerms } from "../../../shared/relay/servers.ts";
import type { LoginSaid } from "../../ui/inbox/logins.tsx";
import { type KeyRecord, newKey, randomKeyBytes } from "../../stores/keys.ts";
import { oauthStore } from "../../stubs/oauth-store.ts";
import { configStub } from "../../stubs/stubs.ts";
import { type ConnectEnd, connectEnds } from "../../../shared/review/connect-ends.ts";
import type { App, AppContext } from "../app-context.ts";
import { type AdmittedReader, admittedReader, readerForm } from "../inbox/admitted.ts";
import { type Reader, currentDocuments, mayConnect, readerNonce } from "../inbox/reader.ts";
import { asPage, formRefusals } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { answerPage, errorPage } from "../page-answer.ts";
import { serverNamed } from "../relay/mcp-origin.ts";
import { answerFault } from "../review/review.ts";
import { noSuchLink, readForm } from "../review/review-link.ts";
import { endKey } from "./end-key.ts";
import { loginsOf } from "./login-list.ts";
import { issuerOf, serverOf } from "./oauth.ts";

export const connectRoutes = new Hono<App>();

const smallForm = 10_000;
const dayMs = 86_400_000;
/** The longest list of tools that a person excepts, as it was typed. */
const longestExcept = 1_000;

const lastsDays = (end: ConnectEnd, mostDays: number | undefined): number | undefined =>
  ({ unused: undefined, day: 1, year: 365, most: mostDays })[end];

type Asking = {
  readonly reader: AdmittedReader;
  readonly issuer: Issuer;
  readonly query: string;
  readonly asked: AskedAccess;
  readonly server: string;
  /** What the operator gives each connection to it. */
  readonly terms: ConnectionTerms;
};

/** The signed-in reader and what a client asks of them; or the answer in its place. */
async function asking(c: AppContext, query: string): Promise<Asking | Response> {
  const to = connectTarget(query);
  const reader = await admittedReader(c, to);
  if (reader instanceof Response) return reader;
  if (to === null) return errorPage(c, "badRequest", 400);
  const issuer = await issuerOf(c);
  if (issuer === null) return noSuchLink(c);
  const asked = await c.env.OAUTH.asked(query, issuer, oauthStore(c.env));
  if (asked.kind !== "asked") return leave(c, asked, null);
  const server = serverOf(issuer, asked.resource);
  const entry = await serverNamed(c, server);
  const terms = entry === undefined ? null : connectionTerms(entry);
  const { person } = reader;
  if (terms === null || !mayConnect((await currentDocuments(c)).policy, terms, person.name))
    return answerPage(c, { kind: "connectNotAllowed", input: { reader: person.name, server } }, 403, { language: person.language });
  return { reader, issuer, query, asked, server, terms };
}

/** Back to the client; or the page that says why the browser stays. */
function leave(c: AppContext, error: AskError, about: { readonly client: string; readonly isAllowed: boolean } | null): Promise<Response> {
  if (error.kind === "refused") return answerPage(c, { kind: "connectRefused", input: { why: error.why } }, 400);
  const { host, hostname } = new URL(error.to);
  const input = { ...(about ?? { client: "", isAllowed: false }), to: error.to, host };
  // Anybody registers a client: where nobody has pressed anything, a browser that was sent here
  // would be led to whatever address that has (RFC 9700 section 4.11.2). It is a link then.
  if (about === null && !isLoopbackHost(hostname)) return answerPage(c, { kind: "connected", input }, 400);
  // Not 303: a page's form may lead to us alone, and this leads to the client.
  return answerPage(c, { kind: "connected", input }, 200, { headers: { Refresh: `0; url=${error.to}` } });
}

/** What the client asked for, as it came: it stands in the address of the page and of its form. */
const queryOf = (c: AppContext): string => new URL(c.req.url).search.slice(1);

/** What the form is bound to beside the session: all that the client asked for. */
const bindingOf = (query: string) => `connect ${digestOf("countersign/connect-form/v1", { query })}` as const;

const refusals = {
  400: asPage("The client, or where it wants the browser to go, cannot be trusted"),
  403: asPage("From another site, not this session's form, or not signed in"),
  404: asPage("No PUBLIC_URL is configured"),
  ...formRefusals,
};

const showConnect = describe("showConnect", {
  summary: "The page that asks a signed-in person whether a client may come in; for anybody else the page to sign in",
  200: asPage("The page"),
  ...refusals,
});

connectRoutes.get(paths.inboxConnect, showConnect, async (c) => {
  const found = await asking(c, queryOf(c));
  return found instanceof Response ? found : connectPage(c, found);
});

function connectPage(c: AppContext, { reader, query, asked, server, terms }: Asking, problem?: "late" | "forged"): Promise<Response> {
  const { name, verifiedHost, redirectHost, isLocal } = asked;
  const input = {
    action: `${pathOfUrl(connectUrl(reader.home))}?${query}`,
    nonce: readerNonce(reader, bindingOf(query)),
    client: name,
    verifiedHost,
    redirectHost,
    isLocal,
    server,
    tools: terms.tools ?? {},
    mostDays: terms.mostDays,
    reader: reader.person.name,
    inbox: { path: pathOfUrl(reader.home), count: reader.count },
    ...(problem === undefined ? {} : { problem }),
  };
  const status = problem === undefined ? 200 : problem === "forged" ? 403 : 409;
  return answerPage(c, { kind: "connect", input }, status, { language: reader.person.language });
}

const decideConnect = describe("decideConnect", {
  summary: "The form of that page: lets the client in, or does not",
  body: { type: "application/x-www-form-urlencoded" },
  200: asPage("Done; the browser goes back to the client"),
  ...refusals,
  409: asPage("The page was open for too long"),
});

connectRoutes.post(paths.inboxConnect, decideConnect, async (c) => {
  const found = await asking(c, queryOf(c));
  if (found instanceof Response) return found;
  const body = await readForm(c, found.reader, smallForm);
  if (body instanceof Response) return body;
  const fields = new URLSearchParams(body.text);
  const subject = { token: found.reader.bound, version: 0, digest: bindingOf(found.query) };
  const judged = judgeNonce(found.reader.settings.keys, subject, fields.get(formFields.nonce) ?? "", Date.now());
  // Pressed soon is pressed: nothing was there to be read in pieces.
  if (judged === "late" || judged === "forged") return connectPage(c, found, judged);
  const { issuer, query, asked } = found;
  const store = oauthStore(c.env);
  if (fields.get(formFields.act) !== "allow")
    return leave(c, await c.env.OAUTH.deny(query, issuer, store), { client: asked.name, isAllowed: false });
  const end = connectEnds(found.terms.mostDays).find((each) => each === fields.get("end")) ?? "day";
  const except = fields.get("except") ?? "";
  if (except.length > longestExcept) return errorPage(c, "badRequest", 400);
  return allow(
    c,
    found,
    { end, except: except.split(/[\s,]+/).filter((glob) => glob !== "") },
    digestOf("countersign/connect-once/v1", { nonce: fields.get(formFields.nonce) ?? "" }),
  );
});

type Chosen = {
  readonly end: ConnectEnd;
  /** Globs of tools that it may not use, beside the operator's. */
  readonly except: readonly string[];
};

/** `once`: of this form. A second press lets the same client in again with the key of the first. */
async function allow(
  c: AppContext,
  { reader, issuer, query, asked, server, terms }: Asking,
  chosen: Chosen,
  once: string,
): Promise<Response> {
  const now = Date.now();
  const { person, settings } = reader;
  const by: Operator = { kind: "inbox", email: person.email };
  const { id, hash } = newKey(settings.keys, randomKeyBytes());
  const { tools, limits, budget, mostDays } = terms;
  const days = lastsDays(chosen.end, mostDays);
  const record: KeyRecord = {
    name: asked.name.slice(0, 128),
    owner: person.name,
    scopes: ["sampling"],
    servers: [server],
    tools: chosen.except.length === 0 ? tools : { ...tools, deny: [...(tools?.deny ?? []), ...chosen.except] },
    limits,
    budget,
    ...(days === undefined ? {} : { expiresAt: now + days * dayMs }),
    once,
    id,
    createdAt: now,
    oauthClient: { host: asked.verifiedHost, address: reader.visitor.address },
  };
  const key = (await configStub(c.env).addKey(id, hash, jsonOf(record), by)) ?? id;
  const given = await c.env.OAUTH.allow(query, issuer, oauthStore(c.env), { user: inboxNameOf(person.name), props: { key } });
  if (given.kind === "refused") await endKey(c, { ...record, id: key }, by);
  return leave(c, given, { client: asked.name, isAllowed: true });
}

/** The person's keys that a client was let in with and that count. */
async function connectionsOf(c: AppContext, { person }: Reader, now: number): Promise<KeyRecord[]> {
  const keys = await configStub(c.env).keys();
  return keys
    .filter(({ revokedAt }) => revokedAt === null)
    .map(({ record }): KeyRecord => readJsonOf(record))
    .filter(({ owner, oauthClient, expiresAt = Infinity }) => owner === person.name && oauthClient !== undefined && now < expiresAt);
}

const showConnections = describe("showConnections", {
  summary: "The clients that a signed-in person let in by OAuth; for anybody else the page to sign in",
  200: asPage("The page"),
  ...refusals,
});

connectRoutes.get(paths.inboxConnections, showConnections, async (c) => {
  const reader = await admittedReader(c);
  return reader instanceof Response ? reader : connectionsPage(c, reader, false);
});

/** `said`: what became of a login at a server just now. */
export async function connectionsPage(c: AppContext, reader: AdmittedReader, isEnded: boolean, said?: LoginSaid): Promise<Response> {
  const [connections, logins] = await Promise.all([connectionsOf(c, reader, Date.now()), loginsOf(c, reader)]);
  const input = {
    action: pathOfUrl(connectionsUrl(reader.home)),
    nonce: readerNonce(reader, "connections"),
    connections: connections.map(({ id, name, oauthClient, servers = [], createdAt, expiresAt = null }) => ({
      id,
      name,
      client: oauthClient?.host ?? null,
      servers,
      createdAt,
      expiresAt,
    })),
    logins: { action: pathOfUrl(loginsUrl(reader.home)), list: logins, ...(said === undefined ? {} : { said }) },
    now: Date.now(),
    isEnded,
    reader: reader.person.name,
    inbox: { path: pathOfUrl(reader.home), count: reader.count },
  };
  return answerPage(c, { kind: "connections", input }, 200, { language: reader.person.language });
}

const endConnection = describe("endConnection", {
  summary: "The form of that page: ends one of them, at once",
  body: { type: "application/x-www-form-urlencoded" },
  200: asPage("The page without it"),
  ...refusals,
});

connectRoutes.post(paths.inboxConnections, endConnection, async (c) => {
  const form = await readerForm(c, "connections");
  if (form instanceof Response) return form;
  const { reader, fields } = form;
  const own = (await connectionsOf(c, reader, Date.now())).find(({ id }) => id === fields.get("end"));
  if (own !== undefined) await endKey(c, own, { kind: "inbox", email: reader.person.email });
  return connectionsPage(c, reader, true);
});

for (const path of [paths.inboxConnect, paths.inboxConnections])
  connectRoutes.all(path, (c) => errorPage(c, "badRequest", 405, { Allow: "GET, HEAD, POST" }));

connectRoutes.onError(answerFault);
