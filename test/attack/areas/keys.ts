// One API key reaching for everything of another's: runs, tasks, sessions, calls, states, conversations, caches, links. Bob attacks Ann.

import { type Area, type Attack, eachOf, must, mustEqual, mustNotHave } from "../attack.ts";
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
  mustNotHave(answer.text, marker, "Bob's answer");
  must(await isUndecided(world, review), "the review of Ann's request was ended");
  mustEqual((await runOf(world, review.run)).status, "working", "Ann's run");
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
    must(!isLetIn, `the status is ${answer.status}`);
    if (status === 200) must(rpcOf(answer).error !== undefined, `no error: ${answer.text}`);
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
    must(rpcOf(await sample(world, { session })).result !== undefined, "Ann's session was ended");
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
      mustNotHave(answer.text, "for Ann alone", "Bob's answer");
      mustEqual(callsWith(world, `${marker} kept`), 2, "calls of the model");
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
      must(other.run !== review.run, "the two requests have one run");
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
      mustNotHave((await asBob(world, "/control", { body })).text, "for Ann alone", "Bob's answer");
    },
  },
  {
    name: "a key asks for another key's cached reply",
    run: async (world) => {
      const cached = (): object => envelope({ prompt: `${marker} cached`, control: { cache: { enable: true, ttl: 600 } } });
      world.model.script({ answer: "reply", text: "cached for Ann" });
      await world.ask("/control", { body: cached() });
      const answer = await asBob(world, "/control", { body: cached() });
      mustNotHave(answer.text, "cached for Ann", "Bob's answer");
      mustNotHave(answer.text, '"hit":true', "Bob's answer");
    },
  },
  {
    name: "a key continues another key's conversation, to have its turns sent to the model",
    run: async (world) => {
      const context = { session_id: "talk", remember: { ttl: 600 } };
      await world.ask("/control", { body: envelope({ prompt: `${marker} remembered`, context }) });
      const before = callsWith(world, `${marker} remembered`);
      must(before === 1, "Ann's turn was not asked");
      await asBob(world, "/control", { body: envelope({ prompt: "What did I say?", context }) });
      mustEqual(callsWith(world, `${marker} remembered`), before, "calls with Ann's turn");
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
      mustEqual(answer.status, 404, "the status");
      mustEqual(world.mcp.calls.length, before, "requests to the server");
    },
  },
  {
    name: "a key ends the relay session of another key",
    run: async (world) => {
      const session = await beginSession(world, "notes", world.ann.key);
      await session.end(world.bob.key);
      mustEqual((await session.post({ jsonrpc: "2.0", id: 1, method: "tools/list" })).status, 200, "Ann's next request");
    },
  },
  {
    name: "a key listens on the relay session of another key",
    run: async (world) => {
      const session = await beginSession(world, "notes", world.ann.key);
      mustEqual((await session.get(world.bob.key)).status, 404, "the status");
    },
  },
  {
    name: "a key uses its session of one server at another server",
    run: async (world) => {
      const session = await beginSession(world, "notes", world.ann.key);
      const before = world.mcp.calls.length;
      const answer = await session.post({ jsonrpc: "2.0", id: 1, method: "tools/list" }, { at: "leads-inside-307" });
      mustEqual([answer.status, world.mcp.calls.length], [404, before], "the status, and requests to the server");
    },
  },
  ...eachOf(["mcp:notes", "mcp:", "mcp:anything at all"], (session) => ({
    name: `a request at /sampling names the session ${JSON.stringify(session)}, as if it were the relay's`,
    run: async (world: World) => {
      const answer = await sample(world, { session });
      must(rpcOf(answer).error !== undefined, `no error: ${answer.text}`);
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
      must(answer.status === 401 || answer.status === 429, `${path}: the status is ${answer.status}: ${answer.text}`);
    }
    mustEqual([world.model.requests.length, world.mcp.calls.length], before, "requests to model and server");
  },
}));

const inQuery: Attack = {
  name: "a key in the query is no credential",
  run: async (world) => {
    for (const [path, body] of endpoints) {
      const query = new URLSearchParams({ key: world.ann.key, access_token: world.ann.key });
      mustEqual((await world.ask(`${path}?${query}`, { key: null, body })).status, 401, path);
    }
  },
};

const scopes: readonly Attack[] = [
  {
    name: "a key for /control alone asks for sampling, at both endpoints",
    run: async (world) => {
      const { key } = await world.newKey({ scopes: ["control"] });
      mustEqual((await sample(world, {}, key)).status, 403, "/sampling");
      mustEqual((await world.ask("/mcp/notes", { key, body: endpoints[2]?.[1] })).status, 403, "/mcp/notes");
    },
  },
  {
    name: "a key for sampling alone sends an envelope",
    run: async (world) => {
      const { key } = await world.newKey({ scopes: ["sampling"] });
      must([401, 403].includes((await world.ask("/control", { key, body: envelope() })).status), "it was served");
    },
  },
  {
    name: "a key for one server names another server",
    run: async (world) => {
      const { key } = await world.newKey({ servers: ["notes"] });
      const before = world.model.requests.length;
      must(rpcOf(await sample(world, { server: "open" }, key)).error !== undefined, "it was served");
      mustEqual(world.model.requests.length, before, "calls of the model");
    },
  },
  {
    name: "a key for one server names it in other letters",
    run: async (world) => {
      const { key } = await world.newKey({ servers: ["open"] });
      for (const server of ["Open", "open ", "ope\u006e\u200b", "opеn"])
        must(rpcOf(await sample(world, { server }, key)).error !== undefined, `served as ${JSON.stringify(server)}`);
    },
  },
  {
    name: "a key for another model is given none of the table's",
    run: async (world) => {
      const { key } = await world.newKey({ models: ["second"] });
      const before = world.model.requests.length;
      must(rpcOf(await sample(world, {}, key)).error?.code === -32010, "it was served");
      mustEqual(world.model.requests.length, before, "calls of the model");
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
      must(answer.status === 401, `with ${JSON.stringify(key.slice(0, 6))}: the status is ${answer.status}`);
    }
  },
}));

const record: Attack = {
  name: "what a key tried at another's run leaves no word of that run's content in the record",
  run: async (world) => {
    const review = await opened(world, { text: marker });
    await asBob(world, `/runs/${review.run}`, { method: "DELETE" });
    mustNotHave(JSON.stringify(await factsOf(world, review.run)), marker, "the record");
    await press(world, review.link, "deny");
    await review.answer;
  },
};

export const keys: Area = {
  name: "keys",
  about: "one API key reaching for another's everything, and what is no credential",
  attacks: [...onRuns, ...onSessions, ...repeats, ...atRelay, ...unauthorized, inQuery, ...scopes, ...operators, record],
};
