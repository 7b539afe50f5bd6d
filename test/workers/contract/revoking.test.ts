// Revoking an API key ends everything of that key: every endpoint refuses it, and nothing that it began goes on.

import { beforeEach, describe, expect, test } from "vitest";
import { keyStub } from "../../../workers/objects/names.ts";
import { control, gates, textEnvelope } from "../support/control.ts";
import {
  type KeyAnswer,
  admin,
  createKey,
  env,
  eventually,
  gateway,
  jsonBody,
  model,
  openNotice,
  rpc,
  sample,
} from "../support/gateway.ts";
import {
  RelayClient,
  type Upstream,
  configureServers,
  eventFor,
  openStream,
  scriptUpstream,
  upstreamOrigin,
} from "../support/mcp-server.ts";
import { everything } from "../objects/inside.ts";
import { replyMarker } from "../support/logs.ts";
import { press } from "../support/reviewer.ts";

/** As another place on earth has it for the next minute: the key was revoked, while its memory and KV still show it as good. */
const revokeElsewhere = async ({ id }: KeyAnswer): Promise<void> => keyStub(env, id).revoke();

let upstream: Upstream;
beforeEach(async () => {
  upstream = scriptUpstream();
  await configureServers({ open: { url: `${upstreamOrigin}/mcp` } });
});

/** A task of this key that waits for its review. */
async function openTask(key: string): Promise<string> {
  const answer = await sample({ server: "request-gate" }, { key, headers: { Prefer: "respond-async" } });
  const task = decodeURIComponent((answer.headers.get("Location") ?? "").replace("/runs/", ""));
  await openNotice("request", task);
  return task;
}

type Asking = { readonly key: string; readonly task: string; readonly client: RelayClient };

/** Everything that a key opens. */
const endpoints: readonly (readonly [string, (asking: Asking) => Promise<Response>])[] = [
  ["POST /sampling, sampling/createMessage", ({ key }) => sample({}, { key })],
  ["POST /sampling, tasks/get", ({ key, task }) => rpc("tasks/get", { taskId: task }, { key })],
  ["POST /sampling, tasks/result", ({ key, task }) => rpc("tasks/result", { taskId: task }, { key })],
  ["POST /sampling, tasks/cancel", ({ key, task }) => rpc("tasks/cancel", { taskId: task }, { key })],
  [
    "POST /sampling, a notification",
    ({ key }) => {
      const params = { requestId: 1, _meta: { "countersign/session": "sess-1" } };
      return gateway("/sampling", { ...jsonBody("POST", { jsonrpc: "2.0", method: "notifications/cancelled", params }), key });
    },
  ],
  ["GET /runs", ({ key, task }) => gateway(`/runs/${task}`, { key })],
  ["DELETE /runs", ({ key, task }) => gateway(`/runs/${task}`, { key, method: "DELETE" })],
  ["DELETE /sessions", ({ key }) => gateway("/sessions/sess-1", { key, method: "DELETE" })],
  ["DELETE /sessions/…/requests", ({ key }) => gateway("/sessions/sess-1/requests/7?server=open", { key, method: "DELETE" })],
  ["POST /mcp, initialize", ({ key }) => new RelayClient("open", { key }).connect()],
  ["POST /mcp, tools/call", ({ client }) => client.call(7)],
  ["GET /mcp", ({ client }) => client.send({ method: "GET" })],
  ["DELETE /mcp", ({ client }) => client.send({ method: "DELETE" })],
  ["POST /control", ({ key }) => control(textEnvelope(), { key })],
  ["DELETE /control/sessions", ({ key }) => gateway("/control/sessions/talk", { key, method: "DELETE" })],
];

describe("a key that was revoked where nobody here has heard of it", () => {
  test("is refused with 401 at every endpoint, and nothing is done for it", async () => {
    const made = await createKey();
    const asking = { key: made.key, task: await openTask(made.key), client: new RelayClient("open", { key: made.key }) };
    await asking.client.connect();
    await revokeElsewhere(made);
    upstream.calls.length = 0;
    for (const [name, ask] of endpoints) {
      const response = await ask(asking);
      expect([name, response.status, response.headers.get("WWW-Authenticate")]).toEqual([name, 401, "Bearer"]);
      expect([name, await response.text()]).toEqual([name, expect.stringContaining("API key was revoked")]);
    }
    expect(upstream.calls).toEqual([]);
    expect(model.calls).toEqual([]);
  });
});

test("a key that is revoked has its kept replies and conversations deleted", async () => {
  await gates();
  const made = await createKey();
  const keeps = { control: { cache: { enable: true, ttl: 60 } }, context: { session_id: "talk", remember: { ttl: 60 } } };
  expect((await control(textEnvelope({}, keeps), { key: made.key })).status).toBe(200);
  const kept = async (): Promise<number> =>
    (await everything()).split("\n").filter((line) => /^CACHE|^CONVERSATION/.test(line) && line.includes(replyMarker)).length;
  await eventually("both", async () => (await kept()) === 2);
  expect((await admin(`/keys/${made.id}`, { method: "DELETE" })).status).toBe(204);
  await eventually("neither", async () => (await kept()) === 0);
});

/** A server in the middle of a client's call, which may ask what it likes. */
async function midCall(key: string): Promise<{ readonly ask: (id: string, method: string, params: object) => Promise<unknown> }> {
  const client = new RelayClient("open", { key });
  await client.connect();
  const stream = openStream();
  upstream.answer = ({ message }) => (message.method === "tools/call" ? stream.response() : undefined);
  await client.call(7);
  return {
    ask: (id, method, params) => {
      stream.say(eventFor({ jsonrpc: "2.0", id, method, params }));
      return eventually(`an answer to ${id}`, async () => upstream.answersTo(id)[0]);
    },
  };
}

const taskMethods = ["tasks/get", "tasks/result", "tasks/cancel"] as const;

describe("a server at the relay that asks about a task", () => {
  test("of another key is told that there is none, and the task goes on", async () => {
    const task = await openTask((await createKey()).key);
    const { ask } = await midCall((await createKey()).key);
    for (const method of taskMethods)
      expect(await ask(method, method, { taskId: task })).toMatchObject({
        error: { code: -32602, message: expect.stringMatching(/task/i) },
      });
    await press((await openNotice("request", task)).link, "approve");
    await eventually("the model's call", async () => model.calls[0]);
  });

  test("on a stream that was opened before its key was revoked is told so", async () => {
    const made = await createKey();
    const task = await openTask(made.key);
    const { ask } = await midCall(made.key);
    await revokeElsewhere(made);
    for (const method of taskMethods) expect(await ask(method, method, { taskId: task })).toMatchObject({ error: { code: -32014 } });
  });
});
