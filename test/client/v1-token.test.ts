// A host's helper that lets a server have tokens for /v1: never more than it allows.

import { expect, test } from "vitest";
import { Gateway } from "../../client/gateway.ts";
import { createSamplingHandler } from "../../client/sampling-handler.ts";
import { platformTiming } from "../../client/timing.ts";
import { type V1TokenAllowance, v1TokenResult } from "../../client/v1-token.ts";

const origin = { session: "s", originatingRequest: { id: 1, method: "tools/call", name: "ask", server: "notes" } };
const made = { token: "cst_1", baseUrl: "https://gateway.example.com/v1" };

/** What the gateway was asked, and the result for the server. */
async function ask(params: object, allowed: V1TokenAllowance | undefined, status = 201) {
  const asked: unknown[] = [];
  const errors: Error[] = [];
  const gateway = new Gateway({
    url: "https://gateway.example.com",
    apiKey: "csk_1",
    timing: platformTiming,
    deadlineMilliseconds: 1_000,
    silenceMilliseconds: 1_000,
    onError: (error) => void errors.push(error),
    fetch: async (input, init) => {
      asked.push([String(input), init?.method, JSON.parse(String(init?.body))]);
      return Response.json(made, { status });
    },
  });
  const result = await v1TokenResult(gateway, { ...params }, allowed, origin);
  return { asked, result, errors };
}

const field = "countersign/v1Token";

test.each([
  { _meta: { [field]: { maxUsd: 9, seconds: 9_000, models: ["a", "b"] } } },
  { metadata: { [field]: { maxUsd: 9, seconds: 9_000, models: ["a", "b"] } } },
])("%j gets what the host allows", async (params) => {
  const { asked, result } = await ask(params, { maxUsd: 0.5, seconds: 60, models: ["b", "c"] });
  expect(asked).toEqual([["https://gateway.example.com/tokens", "POST", { ...origin, maxUsd: 0.5, seconds: 60, models: ["b"] }]]);
  expect(result).toMatchObject({ role: "assistant", _meta: { [field]: made } });
});

test("less may be asked for, and without a wish everything is what is allowed", async () => {
  expect((await ask({ _meta: { [field]: { maxUsd: 0.1 } } }, { maxUsd: 0.5 })).asked).toEqual([
    ["https://gateway.example.com/tokens", "POST", { ...origin, maxUsd: 0.1, seconds: 300 }],
  ]);
  expect((await ask({ _meta: { [field]: {} } }, { maxUsd: 0.5, models: ["a"] })).asked).toEqual([
    ["https://gateway.example.com/tokens", "POST", { ...origin, maxUsd: 0.5, seconds: 300, models: ["a"] }],
  ]);
});

test("a server that asks for none, or whose host allows none, gets none, and the gateway is not asked", async () => {
  expect(await ask({ _meta: {} }, { maxUsd: 1 })).toEqual({ asked: [], result: undefined, errors: [] });
  expect(await ask({ _meta: { [field]: {} } }, undefined)).toEqual({ asked: [], result: undefined, errors: [] });
});

test("where the gateway gives none the request is one for a reply, and the host hears why", async () => {
  const { result, errors } = await ask({ _meta: { [field]: {} } }, { maxUsd: 1 }, 403);
  expect(result).toBeUndefined();
  expect(errors.map(({ message }) => message)).toEqual(["The sampling gateway gave no token for /v1 (HTTP 403)."]);
});

/**
 * A connection on which one tool call is open, and what the gateway was asked. `hold`: until when
 * it makes no token.
 */
function connected(hold: Promise<void> = Promise.resolve()) {
  const asked: { readonly method: string; readonly path: string; readonly body: unknown }[] = [];
  const sampling = createSamplingHandler({
    url: "https://gateway.example.com",
    apiKey: "csk_1",
    session: "s",
    fetch: async (input, init) => {
      const path = new URL(String(input)).pathname;
      asked.push({ method: init?.method ?? "GET", path, body: init?.body === undefined ? null : JSON.parse(String(init.body)) });
      if (path !== "/tokens") return new Response(null, { status: 204 });
      await hold;
      return Response.json(made, { status: 201 });
    },
  });
  const { connection } = sampling.connection({ server: "notes", v1Tokens: { maxUsd: 1 } });
  connection.sent({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask" } });
  const answer = connection.answer({ id: "sampling-1", method: "sampling/createMessage", params: { _meta: { [field]: {} } } });
  return { asked, connection, answer, sampling };
}

test("an association that is only inferred is told as inferred", async () => {
  const { asked, answer } = connected();
  expect(await answer).toMatchObject({ _meta: { [field]: made } });
  expect(asked).toMatchObject([{ path: "/tokens", body: { originatingRequest: { id: 1, name: "ask", server: "notes", inferred: true } } }]);
});

test("a token that comes after the end of its client request is given to nobody, and the gateway is told of the end", async () => {
  let makeIt = (): void => {};
  const { asked, connection, answer, sampling } = connected(new Promise((resolve) => (makeIt = resolve)));
  const ended = expect(answer).rejects.toMatchObject({ code: -32800 });
  connection.received({ jsonrpc: "2.0", id: 1, result: { content: [] } });
  makeIt();
  await ended;
  await sampling.flush();
  expect(asked.map(({ method, path }) => [method, path])).toEqual([
    ["POST", "/tokens"],
    ["DELETE", "/sessions/s/requests/1"],
  ]);
});
