// One API key reaching for everything of another's: runs, tasks, sessions, calls, states,
// conversations, caches, links. Bob attacks Ann.

import { expect } from "vitest";
import { type Area, type Attack, eachOf } from "../attack.ts";
import {
  callsWith,
  envelope,
  factsOf,
  isUndecided,
  notices,
  opened,
  openedBy,
  press,
  rpcOf,
  runOf,
  sample,
  samplingMessage,
  tokenOf,
} from "../people.ts";
import { beginSession } from "../relay-client.ts";
import { type Answer, type World, secrets } from "../world.ts";

/** What Bob may never read. */
const marker = "annsOwnSecretText";

const asBob = (world: World, path: string, asking: Parameters<World["ask"]>[1] = {}): Promise<Answer> =>
  world.ask(path, { ...asking, key: world.bob.key });

const rpc = (method: string, params: object): object => ({ jsonrpc: "2.0", id: "b1", method, params });

/** Bob's answer has nothing of Ann's, and her review stands as it was. */
async function untouched(world: World, review: Awaited<ReturnType<typeof opened>>, answer: Answer): Promise<void> {
  expect(answer.text, "Bob's answer").not.toContain(marker);
  expect(await isUndecided(world, review), "the review of Ann's request was ended").toBe(true);
  expect((await runOf(world, review.run)).status, "Ann's run").toBe("working");
  await press(world, review.link, "deny");
  await review.answer;
}

/** Ways to reach for a run by its id, and the status that each must get. */
const runWays: readonly [string, (run: string) => [string, Parameters<World["ask"]>[1]], number][] = [
  ["read its state", (run) => [`/runs/${run}`, {}], 404],
  ["cancel it", (run) => [`/runs/${run}`, { method: "DELETE" }], 404],
  ["read its task", (run) => ["/sampling", { body: rpc("tasks/get", { taskId: run }) }], 200],
  ["wait for its task's result", (run) => ["/sampling", { body: rpc("tasks/result", { taskId: run }) }], 200],
  ["cancel its task", (run) => ["/sampling", { body: rpc("tasks/cancel", { taskId: run }) }], 200],
  ["read it as an operator", (run) => [`/admin/runs/${run}`, {}], 401],
  ["read its record as an operator", (run) => [`/admin/record?run=${run}`, {}], 401],
  ["open its id as a review link", (run) => [`/r/${run}`, {}], 404],
  ["open its review in the inbox", (run) => [`/inbox/reviews/request/${run}`, {}], 303],
  [
    "decide its review in the inbox",
    (run) => [`/inbox/reviews/request/${run}`, { method: "POST", body: new URLSearchParams({ act: "approve:0" }) }],
    403,
  ],
];

const onRuns = eachOf(runWays, ([what, way, status]) => ({
  name: `a key knows the id of another key's run and tries to ${what}`,
  run: async (world) => {
    const review = await opened(world, { text: marker });
    const answer = await asBob(world, ...way(review.run));
    const isLetIn = status === 303 || status === 403 ? answer.status < 300 && answer.text.includes(marker) : answer.status !== status;
    expect(isLetIn, `the status is ${answer.status}`).toBe(false);
    if (status === 200) expect(rpcOf(answer).error, `no error: ${answer.text}`).toBeDefined();
    await untouched(world, review, answer);
  },
}));

const sessionWays: readonly [string, (session: string, id: string) => [string, Parameters<World["ask"]>[1]]][] = [
  ["end that session", (session) => [`/sessions/${session}`, { method: "DELETE" }]],
  ["end a client request of that session", (session) => [`/sessions/${session}/requests/7?server=request-gate`, { method: "DELETE" }]],
  [
    "cancel a sampling request of that session",
    (session, id) => [
      "/sampling",
      { body: { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id, _meta: { "countersign/session": session } } } },
    ],
  ],
  ["delete that session's conversation", (session) => [`/control/sessions/${session}`, { method: "DELETE" }]],
];

const onSessions = eachOf(sessionWays, ([what, way]) => ({
  name: `a key uses the name of another key's session and tries to ${what}`,
  run: async (world) => {
    const session = `shared-${crypto.randomUUID()}`;
    const review = await opened(world, { text: marker, session, id: "a1" });
    await untouched(world, review, await asBob(world, ...way(session, "a1")));
    // What Bob ended was his own: Ann's session still takes requests.
    expect(rpcOf(await sample(world, { session })).result, "Ann's session was ended").toBeDefined();
  },
}));

const repeats: readonly Attack[] = [
  {
    name: "a key repeats another key's request, byte for byte, to get the answer that was kept for a repeat",
    run: async (world) => {
      const message = samplingMessage({ text: `${marker} kept` });
      world.model.script({ answer: "reply", text: "for Ann alone" });
      await world.ask("/sampling", { body: message });
      const answer = await asBob(world, "/sampling", { body: message });
      expect(answer.text, "Bob's answer").not.toContain("for Ann alone");
      expect(callsWith(world, `${marker} kept`), "calls of the model").toBe(2);
    },
  },
  {
    name: "a key sends another key's request while that waits for a person, to take the run over",
    run: async (world) => {
      const review = await opened(world, { text: `${marker} waits`, session: "s", id: "w" });
      const stop = new AbortController();
      const body = samplingMessage({ text: `${marker} waits`, server: "request-gate", session: "s", id: "w" });
      // Never seen where the two requests have one run.
      const other = await openedBy(world, () => world.ask("/sampling", { key: world.bob.key, body, signal: stop.signal }));
      expect(other.run, "the two requests have one run").not.toBe(review.run);
      stop.abort();
      await press(world, other.link, "deny");
      await press(world, review.link, "deny");
      await review.answer;
    },
  },
  {
    name: "a key sends another key's envelope, to get its kept response",
    run: async (world) => {
      const body = envelope({ prompt: `${marker} envelope` });
      world.model.script({ answer: "reply", text: "for Ann alone" });
      await world.ask("/control", { body });
      expect((await asBob(world, "/control", { body })).text, "Bob's answer").not.toContain("for Ann alone");
    },
  },
  {
    name: "a key asks for another key's cached reply",
    run: async (world) => {
      const cached = (): object => envelope({ prompt: `${marker} cached`, control: { cache: { enable: true, ttl: 600 } } });
      world.model.script({ answer: "reply", text: "cached for Ann" });
      await world.ask("/control", { body: cached() });
      const answer = await asBob(world, "/control", { body: cached() });
      expect(answer.text, "Bob's answer").not.toContain("cached for Ann");
      expect(answer.text, "Bob's answer").not.toContain('"hit":true');
    },
  },
  {
    name: "a key continues another key's conversation, to have its turns sent to the model",
    run: async (world) => {
      const context = { session_id: "talk", remember: { ttl: 600 } };
      await world.ask("/control", { body: envelope({ prompt: `${marker} remembered`, context }) });
      const before = callsWith(world, `${marker} remembered`);
      expect(before, "Ann's turn was not asked").toBe(1);
      await asBob(world, "/control", { body: envelope({ prompt: "What did I say?", context }) });
      expect(callsWith(world, `${marker} remembered`), "calls with Ann's turn").toEqual(before);
    },
  },
];

const atRelay: readonly Attack[] = [
  {
    name: "a key uses the relay session of another key",
    run: async (world) => {
      const session = await beginSession(world, "notes", world.ann.key);
      const before = world.mcp.calls.length;
      const answer = await session.post({ jsonrpc: "2.0", id: 1, method: "tools/list" }, { key: world.bob.key });
      expect(answer.status, "the status").toBe(404);
      expect(world.mcp.calls.length, "requests to the server").toEqual(before);
    },
  },
  {
    name: "a key ends the relay session of another key",
    run: async (world) => {
      const session = await beginSession(world, "notes", world.ann.key);
      await session.end(world.bob.key);
      expect((await session.post({ jsonrpc: "2.0", id: 1, method: "tools/list" })).status, "Ann's next request").toBe(200);
    },
  },
  {
    name: "a key listens on the relay session of another key",
    run: async (world) => {
      const session = await beginSession(world, "notes", world.ann.key);
      expect((await session.get(world.bob.key)).status, "the status").toBe(404);
    },
  },
  {
    name: "a key uses its session of one server at another server",
    run: async (world) => {
      const session = await beginSession(world, "notes", world.ann.key);
      const before = world.mcp.calls.length;
      const answer = await session.post({ jsonrpc: "2.0", id: 1, method: "tools/list" }, { at: "leads-inside-307" });
      expect([answer.status, world.mcp.calls.length], "the status, and requests to the server").toEqual([404, before]);
    },
  },
  ...eachOf(["mcp:notes", "mcp:", "mcp:anything at all"], (session) => ({
    name: `a request at /sampling names the session ${JSON.stringify(session)}, as if it were the relay's`,
    run: async (world: World) => {
      const answer = await sample(world, { session });
      expect(rpcOf(answer).error, `no error: ${answer.text}`).toBeDefined();
    },
  })),
];

const notCredentials: readonly [string, (world: World) => Promise<Parameters<World["ask"]>[1]>][] = [
  ["no credential", async () => ({ key: null })],
  ["an empty credential", async () => ({ key: null, headers: { Authorization: "Bearer " } })],
  ["a made-up key", async () => ({ key: `csk_${"A".repeat(54)}` })],
  ["a key with its last character changed", async ({ ann }) => ({ key: ann.key.slice(0, -1) + (ann.key.endsWith("A") ? "B" : "A") })],
  ["a key with another letter case", async ({ ann }) => ({ key: ann.key.toUpperCase() })],
  ["a key's id", async ({ ann }) => ({ key: ann.id })],
  ["the admin token", async () => ({ key: secrets.admin })],
  ["a key in a cookie", async ({ ann }) => ({ key: null, headers: { Cookie: `Authorization=Bearer ${ann.key}; key=${ann.key}` } })],
  ["a key as Basic authentication", async ({ ann }) => ({ key: null, headers: { Authorization: `Basic ${btoa(`${ann.key}:`)}` } })],
  ["a good key beside a wrong one", async ({ ann }) => ({ key: ann.key, headers: { "X-Countersign-Key": "csk_wrong" } })],
  ["two keys in one header", async ({ ann, bob }) => ({ key: `${ann.key}, Bearer ${bob.key}` })],
  ["a revoked key", async (world) => ({ key: await revokedKey(world) })],
  ["an expired key", async (world) => ({ key: (await world.newKey({ expiresAt: Date.now() - 1_000 })).key })],
];

async function revokedKey(world: World): Promise<string> {
  const { id, key } = await world.newKey();
  await sample(world, {}, key);
  await world.admin(`/keys/${id}`, { method: "DELETE" });
  return key;
}

const endpoints: readonly [string, object][] = [
  ["/sampling", samplingMessage()],
  ["/control", envelope()],
  ["/mcp/notes", { jsonrpc: "2.0", id: 1, method: "tools/list" }],
];

const unauthorized = eachOf(notCredentials, ([what, credential]) => ({
  name: `a request with ${what} is served at no endpoint`,
  run: async (world) => {
    const asking = await credential(world);
    const before = [world.model.requests.length, world.mcp.calls.length];
    for (const [path, body] of endpoints) {
      const answer = await world.ask(path, { ...asking, body });
      expect(answer.status === 401 || answer.status === 429, `${path}: the status is ${answer.status}: ${answer.text}`).toBe(true);
    }
    expect([world.model.requests.length, world.mcp.calls.length], "requests to model and server").toEqual(before);
  },
}));

const inQuery: Attack = {
  name: "a key in the query is no credential",
  run: async (world) => {
    for (const [path, body] of endpoints) {
      const query = new URLSearchParams({ key: world.ann.key, access_token: world.ann.key });
      expect((await world.ask(`${path}?${query}`, { key: null, body })).status, path).toBe(401);
    }
  },
};

const scopes: readonly Attack[] = [
  {
    name: "a key for /control alone asks for sampling, at both endpoints",
    run: async (world) => {
      const { key } = await world.newKey({ scopes: ["control"] });
      expect((await sample(world, {}, key)).status, "/sampling").toBe(403);
      expect((await world.ask("/mcp/notes", { key, body: endpoints[2]?.[1] })).status, "/mcp/notes").toBe(403);
    },
  },
  {
    name: "a key for sampling alone sends an envelope",
    run: async (world) => {
      const { key } = await world.newKey({ scopes: ["sampling"] });
      expect([401, 403], "it was served").toContain((await world.ask("/control", { key, body: envelope() })).status);
    },
  },
  {
    name: "a key for one server names another server",
    run: async (world) => {
      const { key } = await world.newKey({ servers: ["notes"] });
      const before = world.model.requests.length;
      expect(rpcOf(await sample(world, { server: "open" }, key)).error, "it was served").toBeDefined();
      expect(world.model.requests.length, "calls of the model").toEqual(before);
    },
  },
  {
    name: "a key for one server names it in other letters",
    run: async (world) => {
      const { key } = await world.newKey({ servers: ["open"] });
      for (const server of ["Open", "open ", "ope\u006e\u200b", "opеn"])
        expect(rpcOf(await sample(world, { server }, key)).error, `served as ${JSON.stringify(server)}`).toBeDefined();
    },
  },
  {
    name: "a key for another model is given none of the table's",
    run: async (world) => {
      const { key } = await world.newKey({ models: ["second"] });
      const before = world.model.requests.length;
      expect(rpcOf(await sample(world, {}, key)).error?.code, "it was served").toBe(-32010);
      expect(world.model.requests.length, "calls of the model").toEqual(before);
    },
  },
];

const adminPaths = [
  ["GET", "/admin/routing"],
  ["PUT", "/admin/policy"],
  ["PUT", "/admin/servers"],
  ["GET", "/admin/issuers"],
  ["POST", "/admin/keys"],
  ["GET", "/admin/keys"],
  ["GET", "/admin/notices"],
  ["GET", "/admin/runs"],
  ["GET", "/admin/record"],
  ["GET", "/admin/grants"],
  ["POST", "/admin/doctor"],
  ["GET", "/admin/policy/versions"],
  ["DELETE", "/admin/inboxes/Ada/sessions"],
] as const;

const operators = eachOf(adminPaths, ([method, path]) => ({
  name: `an API key is no operator at ${method} ${path}, nor is a link's token`,
  run: async (world) => {
    const link = (await notices(world)).find((each) => each.link !== null)?.link ?? "/r/none";
    for (const key of [world.ann.key, tokenOf(link), secrets.dev, secrets.link, `${secrets.admin} `.slice(0, -2), ""]) {
      const answer = await world.ask(path, { method, key, ...(method === "GET" || method === "DELETE" ? {} : { body: {} }) });
      expect(answer.status, `with ${JSON.stringify(key.slice(0, 6))}: the status`).toBe(401);
    }
  },
}));

const record: Attack = {
  name: "what a key tried at another's run leaves no word of that run's content in the record",
  run: async (world) => {
    const review = await opened(world, { text: marker });
    await asBob(world, `/runs/${review.run}`, { method: "DELETE" });
    expect(JSON.stringify(await factsOf(world, review.run)), "the record").not.toContain(marker);
    await press(world, review.link, "deny");
    await review.answer;
  },
};

export const keys: Area = {
  name: "keys",
  about: "one API key reaching for another's everything, and what is no credential",
  attacks: [...onRuns, ...onSessions, ...repeats, ...atRelay, ...unauthorized, inQuery, ...scopes, ...operators, record],
};
