// The gateway as a caller, a reviewer and an operator see it: through the Worker's own fetch, with
// real objects and KV.
//
// Each test has a gateway of its own (each-file.ts): nothing stored, a policy and a table of its
// own, a scripted model.

import type { Writer } from "../../../workers/stubs/config-calls.ts";
import { createExecutionContext, reset } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { vi } from "vitest";
import type { Operator } from "../../../shared/record/record.ts";
import type { Env } from "../../../workers/platform/env.ts";
import worker from "../../../workers/index.ts";
import { serveWritten } from "../../../workers/stores/documents.ts";
import { configStub } from "../../../workers/stubs/stubs.ts";
import { flushesUnderWay } from "../../../workers/pipeline/record/write-behind.ts";
import { forgetWork, giveUp, handled, noneAtWork, whileTestLasts } from "./in-flight.ts";
import { neverLogged, promptMarker } from "./logs.ts";
import { expectPublished } from "./published.ts";
import { type ScriptedModel, modelHost, scriptModel } from "./provider.ts";
import { beginScope, scopedEnv } from "./scope.ts";

/** The bindings of the test that runs: those of the Worker, in another object than its own. */
export let env: Env = { ...scopedEnv() };
export const publicUrl = "http://localhost:8787";
export const devKey = required(env.DEV_API_KEY);
export const adminToken = required(env.ADMIN_TOKEN);
for (const secret of [devKey, adminToken, required(env.LINK_KEY)]) neverLogged(secret);

function required(value: string | undefined): string {
  if (value === undefined) throw new Error("vitest.config.ts gives this variable");
  return value;
}

/**
 * One request to the Worker. `Authorization` is the development key's unless it is given; null
 * leaves it out.
 */
export async function gateway(path: string, init: RequestInit & { key?: string | null } = {}): Promise<Response> {
  const request = requestOf(path, init);
  const answer = await whileTestLasts(request, (sent) => exports.default.fetch(sent));
  await expectPublished(request, answer);
  return keep(answer);
}

/**
 * Every response, until its test ends. One that the test does not read would be closed when garbage
 * is collected: its run lost its caller.
 */
const kept: Response[] = [];
async function keep(answer: Response | Promise<Response>): Promise<Response> {
  kept.push(await answer);
  return answer;
}

/** The same Worker with other variables: for what an operator may set. */
export function gatewayWith(variables: Partial<Env>, path: string, init: RequestInit & { key?: string | null } = {}): Promise<Response> {
  const bound = { ...env, ...variables };
  const fetch = handled((request: Request, given: Env, ctx: ExecutionContext) => worker.fetch(request, given, ctx));
  return keep(whileTestLasts(requestOf(path, init), async (sent) => fetch(sent, bound, createExecutionContext())));
}

/** In place of a Worker beside the gateway: every call of it fails, as where it is not deployed. */
export const noSuchService: Env["PAGES"] = new Proxy(() => {}, {
  get: () => noSuchService,
  apply: () => Promise.reject(new Error("no such service")),
}) as unknown as Env["PAGES"]; // a stub has any method

function requestOf(path: string, { key = devKey, ...init }: RequestInit & { key?: string | null }): Request {
  const headers = new Headers(init.headers);
  if (key !== null && !headers.has("Authorization")) headers.set("Authorization", `Bearer ${key}`);
  return new Request(path.startsWith("http") ? path : `${publicUrl}${path}`, { redirect: "manual", ...init, headers });
}

export const admin = (path: string, init: RequestInit = {}): Promise<Response> => gateway(`/admin${path}`, { ...init, key: adminToken });

export const adminJson = async <T>(path: string, init: RequestInit = {}): Promise<T> => (await admin(path, init)).json<T>();

const jsonBody = (method: string, value: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method,
  body: JSON.stringify(value),
  headers: { "Content-Type": "application/json", ...headers },
});

/** Replaces a document whatever its version is. */
export async function configure(name: "policy" | "routing" | "servers" | "issuers" | "budgets", document: object): Promise<void> {
  const current = await adminJson<{ version: number }>(`/${name}`);
  const written = await admin(`/${name}`, jsonBody("PUT", document, { "If-Match": String(current.version) }));
  if (written.status !== 200) throw new Error(`${name}: ${written.status} ${await written.text()}`);
}

/** Who writes where a test speaks to the ConfigObject itself. */
export const operator: Operator = { kind: "adminToken", fingerprint: "0123456789ab" };
export const writer: Writer = { by: operator, restored: null };

export type KeyAnswer = { readonly id: string; readonly key: string; readonly name: string };

export async function createKey(options: object = {}): Promise<KeyAnswer> {
  const answer = await admin("/keys", jsonBody("POST", { name: "test key", ...options }));
  if (answer.status !== 201) throw new Error(`keys: ${answer.status} ${await answer.text()}`);
  const made = await answer.json<KeyAnswer>();
  neverLogged(made.key);
  return made;
}

export { jsonBody };

/** What a server is called decides which gates it meets. */
export const policy = {
  rules: [
    { name: "open", when: { server: "open*" }, then: { request: "allow", response: "allow" } },
    { name: "refused", when: { server: "refused" }, then: { request: "refuse", response: "allow" } },
    { name: "request gate", when: { server: "request-gate" }, then: { request: "review", response: "allow" } },
    { name: "response gate", when: { server: "response-gate" }, then: { request: "allow", response: "review" } },
    { name: "reason told", when: { server: "reason-told" }, then: { request: "review", response: "allow", tellReason: true } },
  ],
  default: { request: "review", response: "review", reviewers: ["everyone"], deadlineSeconds: 600 },
  reviewers: { everyone: [{ name: "Ada" }] },
};

const chatModel = (id: string, more: object = {}): object => ({
  id,
  provider: "scripted",
  name: `vendor/${id}`,
  tools: true,
  contextTokens: 100_000,
  maxOutputTokens: 10_000,
  price: { inputPerMTok: 1, outputPerMTok: 2 },
  scores: { intelligence: 0.5, speed: 0.5, cost: 0.5 },
  ...more,
});

export const routing = {
  providers: { scripted: { kind: "openai", baseUrl: `${modelHost}/v1`, keyless: true } },
  models: [chatModel("first"), chatModel("second")],
};

/** The model of the test that runs. */
export let model: ScriptedModel;

/** What each test begins with. */
export async function beginTest(): Promise<void> {
  beginScope();
  env = { ...scopedEnv() };
  model = scriptModel();
  await writeDocument("policy", policy);
  await writeDocument("routing", routing);
}

/**
 * Writes a document as PUT does, but without what else a PUT does: the doctor asks again, and the
 * policy before is compared. What a test before left
 * under way may have written one meanwhile; this one takes its place.
 */
async function writeDocument(name: "policy" | "routing", document: object, expected = 0): Promise<void> {
  const written = await configStub(env).write(name, expected, JSON.stringify(document), writer);
  if (written.kind === "conflict") return writeDocument(name, document, written.current.version);
  const { version } = written;
  serveWritten(env, name, { version, text: JSON.stringify({ ...document, version }) }, Date.now());
}

/** Gives up what the test has left under way, and takes away all that it stored. */
export async function endTest(): Promise<void> {
  giveUp(kept);
  const isCalm = await noneAtWork(2_000);
  vi.restoreAllMocks();
  travelled = 0;
  kept.length = 0;
  await reset();
  if (isCalm) return;
  // The reset ends what waits for an object; what that began anew goes with another one.
  await noneAtWork(5_000);
  forgetWork();
  await reset();
}

/**
 * Ends a file's tests: a flush that goes on calls objects, which the test's runner can no longer
 * load, and it would report an error of no test.
 */
export async function endFile(): Promise<void> {
  for (let tries = 0; flushesUnderWay() > 0 && tries < 150; tries += 1) await new Promise((resolve) => setTimeout(resolve, 20));
}

const realNow = Date.now.bind(Date);
let travelled = 0;

/** Time, for the Worker and every object: it goes on from there. */
export function travel(milliseconds: number): void {
  travelled += milliseconds;
  vi.spyOn(Date, "now").mockImplementation(() => realNow() + travelled);
}

let requests = 0;

export type Asked = {
  readonly id?: string | number;
  readonly session?: string | undefined;
  readonly server?: string;
  readonly originating?: string | number;
  readonly params?: object;
  readonly meta?: object;
};

/** A JSON-RPC message that asks for sampling; what is not given is new each time. */
export function samplingMessage({ id, session = "sess-1", server = "open", originating = 7, params = {}, meta = {} }: Asked = {}) {
  requests += 1;
  return {
    jsonrpc: "2.0",
    id: id ?? `request-${requests}`,
    method: "sampling/createMessage",
    params: {
      messages: [{ role: "user", content: { type: "text", text: `${promptMarker} What is the capital of France?` } }],
      maxTokens: 50,
      ...params,
      _meta: {
        "countersign/session": session,
        "countersign/originatingRequest": { id: originating, method: "tools/call", name: "summarize", server },
        ...meta,
      },
    },
  };
}

export type PostOptions = { readonly key?: string | null; readonly headers?: Record<string, string>; readonly signal?: AbortSignal };

/** Posts any value as JSON to the sampling endpoint. */
export function post(message: unknown, { key, headers = {}, signal }: PostOptions = {}): Promise<Response> {
  return gateway("/sampling", {
    ...jsonBody("POST", message, headers),
    ...(key === undefined ? {} : { key }),
    ...(signal === undefined ? {} : { signal }),
  });
}

export const sample = (asked: Asked = {}, options: PostOptions = {}): Promise<Response> => post(samplingMessage(asked), options);

export type RpcError = { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> };
export type RpcResult = Record<string, unknown> & { readonly _meta?: Record<string, { readonly id?: string } & Record<string, unknown>> };
export type RpcAnswer = {
  readonly jsonrpc: "2.0";
  readonly id: string | number | null;
  readonly result?: RpcResult;
  readonly error?: RpcError;
};

/** The one JSON value of an answer, white space before it or not. */
export const answerOf = async (response: Response | Promise<Response>): Promise<RpcAnswer> => (await response).json<RpcAnswer>();

export const errorOf = async (response: Response | Promise<Response>): Promise<RpcError> => {
  const answer = await answerOf(response);
  if (answer.error === undefined) throw new Error(`no error: ${Object.keys(answer).join(", ")}`);
  return answer.error;
};

export const rpc = (method: string, params: object, options: PostOptions = {}): Promise<Response> => {
  requests += 1;
  return post({ jsonrpc: "2.0", id: `request-${requests}`, method, params }, options);
};

/**
 * Looks again and again until there is something, and less often the longer it takes: looking takes
 * from what is waited for. The end is far off: what takes long on a busy machine is no failure.
 */
export async function eventually<T>(what: string, look: () => Promise<T | null | undefined | false>): Promise<T> {
  for (let tries = 0; tries < 600; tries += 1) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, Math.min(10 * 1.3 ** tries, 100)));
  }
  throw new Error(`never seen: ${what}`);
}

export type Notice = {
  readonly run: string;
  readonly gate: "request" | "response";
  readonly reviewer: string;
  readonly link: string;
  readonly state: string;
  readonly channel: string;
};

/** What the outbox lists. */
export async function notices(): Promise<Notice[]> {
  const listed = (await adminJson<{ notices: Notice[] }>("/notices")).notices;
  // Other channels than the outbox are listed without a link.
  const withLink = listed.filter(({ channel }) => channel === "outbox");
  for (const { link } of withLink) neverLogged(link.slice(link.lastIndexOf("/") + 1));
  return withLink;
}

/** The newest notice of an open review, of this run where one is named. */
export const openNotice = (gate: Notice["gate"], run?: string): Promise<Notice> =>
  eventually(`a notice for the ${gate} gate`, async () =>
    (await notices()).findLast((notice) => notice.gate === gate && notice.state === "sent" && (run === undefined || notice.run === run)),
  );

export type RunState = {
  readonly id: string;
  readonly state: string;
  readonly status: string;
  readonly result?: RpcResult;
  readonly error?: RpcError;
};

export const runOf = async (id: string, key: string = devKey): Promise<RunState> =>
  (await gateway(`/runs/${id}`, { key })).json<RunState>();

export const runReaches = (id: string, state: string, key: string = devKey): Promise<RunState> =>
  eventually(`${state} of a run`, async () => {
    const run = await runOf(id, key);
    return run.state === state ? run : null;
  });
