// What a client of 2026-07-28 may do with a call that waits at a server with sessions: come back
// for it, once and as the same. By hand, without an SDK.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { decideByLink } from "../../outside/support/killable-gateway.ts";
import { matrixEndpoint } from "../../outside/support/relay-matrix.ts";
import { type OldServer, serveOld } from "../../outside/support/old-server.ts";
import { type StatelessAnswer, comeBack, rawStateless } from "../../outside/support/raw-stateless.ts";
import { until } from "../../outside/support/raw-client.ts";
import { type RelayOffice, openGates, relayKey, relayOffice } from "../../outside/support/relay-office.ts";
import { type StreamingServer, serveStreaming } from "../../outside/support/relay-serve.ts";

let office: RelayOffice;
let old: OldServer;
let other: OldServer;
let matrix: StreamingServer;
let none: StreamingServer;
beforeAll(async () => {
  [old, other, matrix, none] = await Promise.all([
    serveOld(),
    serveOld({ says400: true }),
    serveStreaming(matrixEndpoint({ sdk: 2, stateful: true, json: false }).endpoint),
    serveStreaming(() => Promise.resolve(new Response("Use GET", { status: 405 }))),
  ]);
  office = await relayOffice({ RELAY_HOLD_SECONDS: "1" });
  const at = (url: string, more: object = {}): object => ({ url, allowPrivate: true, ...more });
  await office.serve({
    old: at(old.url),
    other: at(other.url),
    matrix: at(matrix.url),
    none: at(none.url),
    own: at(old.url, { mode: "fallback" }),
    signed: at(old.url, { passAuthorization: true }),
  });
});
afterAll(async () => {
  await Promise.all([office?.close(), old?.close(), other?.close(), matrix?.close(), none?.close()]);
});
beforeEach(async () => {
  for (const list of [old.runs, old.answers, old.methods]) list.length = 0;
  await office.rule(openGates);
});

const accepted = { action: "accept", content: { confirm: true } };
const asked = (answer: StatelessAnswer): { state: string; key: string } => {
  const { requestState, inputRequests } = answer.message.result ?? {};
  const [key] = Object.keys(inputRequests ?? {});
  if (requestState === undefined || key === undefined) throw new Error(`nothing is asked: ${JSON.stringify(answer)}`);
  return { state: requestState, key };
};
const textOf = ({ message }: StatelessAnswer): string | undefined => message.result?.content?.[0]?.text;
const client = (server = "old", options: Parameters<typeof rawStateless>[1] = {}) => rawStateless(office.relay(server), options);

describe("a client of 2026-07-28 at a server with sessions", () => {
  test("discovers the server, whose results have the members of its revision", async () => {
    const { message } = await client().send("server/discover");
    expect(message.result).toMatchObject({
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true }, completions: {}, logging: {} },
      instructions: "Ask plainly.",
      ttlMs: 0,
      cacheScope: "private",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "old", version: "1.2.3" } },
    });
    const { message: listed } = await client().send("tools/list");
    expect(listed.result).toMatchObject({ resultType: "complete", ttlMs: 0, cacheScope: "private" });
    expect(JSON.stringify(listed)).not.toContain("taskSupport");
    expect((await client().call("plain")).message.result).toEqual({
      resultType: "complete",
      content: [{ type: "text", text: "Plain." }],
    });
  });

  test.each(["ping", "logging/setLevel", "resources/subscribe", "tasks/get", "no/such/method"])("%s is not found", async (method) => {
    expect(await client().send(method)).toMatchObject({ status: 404, message: { error: { code: -32_601 } } });
  });

  test("is asked for a form with a state, and comes back with the answer", async () => {
    const { state, key } = asked(await client().call("elicit", { question: "Well?" }));
    expect(old.answers).toEqual([]);
    const answer = await comeBack(client(), ["elicit", { question: "Well?" }], state, { [key]: accepted });
    expect(textOf(answer)).toBe(JSON.stringify(accepted));
    expect(old.runs).toEqual(["elicit"]);
    expect(old.answers).toHaveLength(1);
    // The result is kept for whoever repeats the last request.
    expect(textOf(await client().call("elicit", { question: "Well?" }, { requestState: state }))).toBe(JSON.stringify(accepted));
    // Without the state it is another request.
    expect(asked(await client().call("elicit", { question: "Well?" })).state).not.toBe(state);
    expect(old.runs).toEqual(["elicit", "elicit"]);
  });

  test("twice at the same moment answers the server once, and both get the result", async () => {
    const given = { question: "Twice?" };
    const { state, key } = asked(await client().call("elicit", given));
    const answers = await Promise.all(
      ["accept", "decline"].map((action) => comeBack(client(), ["elicit", given], state, { [key]: { action } })),
    );
    expect(old.answers).toHaveLength(1);
    expect(old.runs).toEqual(["elicit"]);
    expect(textOf(answers[0] as StatelessAnswer)).toBe(textOf(answers[1] as StatelessAnswer));
  });

  test("finds its call by the same request, where its connection was lost", async () => {
    const given = { question: "Lost?" };
    asked(await client().call("elicit", given));
    const again = asked(await client().call("elicit", given));
    expect(old.runs).toEqual(["elicit"]);
    expect(textOf(await comeBack(client(), ["elicit", given], again.state, { [again.key]: accepted }))).toBe(JSON.stringify(accepted));
  });

  test("waits with a state alone while a person decides", async () => {
    const rule = { name: "asked", when: {}, then: { request: "review", response: "allow", reviewers: ["everyone"] } };
    await office.rule({ ...openGates, rules: [rule], reviewers: { everyone: [{ name: "Ada" }] } });
    const given = { question: "Reviewed?" };
    const { message } = await client().call("ask", given);
    expect(message.result).toMatchObject({ resultType: "input_required", requestState: expect.any(String) });
    expect(message.result).not.toHaveProperty("inputRequests");
    const [notice] = await office.notices();
    expect((await decideByLink(notice?.link ?? "", "deny")).status).toBe(303);
    const answer = await comeBack(client(), ["ask", given], message.result?.requestState ?? "");
    expect(answer.message.result).toMatchObject({ isError: true });
    expect(old.runs).toEqual(["ask"]);
  });

  test("may send the same request twice at once: both are sent, since both wait", async () => {
    const given = { question: "Both?" };
    const rule = { name: "asked", when: {}, then: { request: "review", response: "allow", reviewers: ["everyone"], deadlineSeconds: 5 } };
    await office.rule({ ...openGates, rules: [rule], reviewers: { everyone: [{ name: "Ada" }] } });
    const states = await Promise.all([client().call("ask", given), client().call("ask", given)]);
    expect(old.runs).toEqual(["ask", "ask"]);
    // Nobody decides: the review expires, and the tool says so.
    const ended = await Promise.all(states.map(({ message }) => comeBack(client(), ["ask", given], message.result?.requestState ?? "")));
    for (const { message } of ended) expect(message.result).toMatchObject({ resultType: "complete", isError: true });
    expect(textOf(ended[0] as StatelessAnswer)).toMatch(/expired|deadline|time/i);
  });

  test("is asked no more where the server stopped waiting, and its answer goes nowhere", async () => {
    const given = { question: "Still?" };
    const { state, key } = asked(await client().call("gives-up", given));
    await until(
      "the server's timeout",
      () => old.methods.includes("tools/call") && client().call("gives-up", given, { requestState: state }).then(textOf),
    );
    const answer = await comeBack(client(), ["gives-up", given], state, { [key]: accepted });
    expect(answer.message.result).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/timed out/i) }] });
    expect(old.answers).toEqual([]);
  });

  test("is asked beside a request only where one request is in flight", async () => {
    const given = { question: "Whose turn?" };
    // What it declares is its own: it has a session for itself.
    const alone = client("old", { capabilities: { elicitation: { form: {} } } });
    const { state, key } = asked(await alone.call("elicit", given));
    const beside = await alone.call("elicit-aside", { question: "Mine?" });
    expect(beside.message.result).toMatchObject({ isError: true });
    await comeBack(alone, ["elicit", given], state, { [key]: accepted });
    asked(await alone.call("elicit-aside", { question: "Mine now?" }));
  });

  test("is asked to open an address, which has no id in its revision; not one of the gateway", async () => {
    const opens = client("old", { capabilities: { elicitation: { url: {} } } });
    const first = await opens.call("elicit-url", { question: "https://example.com/sign-in" });
    const { state, key } = asked(first);
    expect(first.message.result?.inputRequests?.[key]).toEqual({
      method: "elicitation/create",
      params: { mode: "url", message: "Open it", url: "https://example.com/sign-in" },
    });
    const answer = await comeBack(opens, ["elicit-url", { question: "https://example.com/sign-in" }], state, {
      [key]: { action: "accept" },
    });
    expect(textOf(answer)).toBe(JSON.stringify({ action: "accept" }));
    const ours = await opens.call("elicit-url", { question: `${office.url}/inbox` });
    expect(ours.message.result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("-32602") }] });
  });

  describe("may not use a state", () => {
    const given = { question: "Whose?" };
    let state = "";
    beforeAll(async () => {
      state = asked(await client().call("elicit", given)).state;
    });
    const tampered = (text: string): string => `${text.slice(0, 40)}${text[40] === "A" ? "B" : "A"}${text.slice(41)}`;

    test.each<[string, () => Promise<StatelessAnswer>]>([
      ["that was changed", () => client().call("elicit", given, { requestState: tampered(state) })],
      ["that is none", () => client().call("elicit", given, { requestState: "none" })],
      ["of another tool", () => client().call("ask", given, { requestState: state })],
      ["of other arguments", () => client().call("elicit", { question: "Mine?" }, { requestState: state })],
      ["of another server", () => client("other").call("elicit", given, { requestState: state })],
      [
        "of another key",
        async () => {
          const key = await office.key({ name: "another", owner: "ada@example.com", scopes: ["sampling"] });
          return client("old", { key }).call("elicit", given, { requestState: state });
        },
      ],
    ])("%s", async (_, send) => {
      expect(await send()).toMatchObject({ status: 400, message: { error: { code: -32_602 } } });
      expect(old.answers).toEqual([]);
    });
  });

  test("gets progress by its own token, and log messages of the level that it asked for", async () => {
    const meta = { progressToken: 7, "io.modelcontextprotocol/logLevel": "warning" };
    const { told } = await client().call("steps", { question: "One" }, {}, { meta });
    expect(told.map(({ method, params }) => [method, params["progressToken"] ?? params["level"]])).toEqual([
      ["notifications/progress", 7],
      ["notifications/progress", 7],
      ["notifications/progress", 7],
      ["notifications/message", "warning"],
    ]);
    expect((await client().call("steps", { question: "Two" })).told).toEqual([]);
  });

  test("with sampling of its own is asked for it, where the entry has the gateway's as the fallback", async () => {
    const own = client("own", { capabilities: { sampling: {} } });
    const given = { question: "Yours?" };
    const { state, key } = asked(await own.call("ask", given));
    const response = { role: "assistant", content: { type: "text", text: "Mine." }, model: "own" };
    expect(textOf(await comeBack(own, ["ask", given], state, { [key]: response }))).toBe("Mine.");
  });

  test("goes on in a new session where the server has forgotten the old one, also where that is said with 400", async () => {
    const there = client("other");
    expect(textOf(await there.call("count"))).toBe("1");
    expect(textOf(await there.call("count"))).toBe("2");
    other.restart();
    expect(textOf(await there.call("count"))).toBe("1");
    expect(other.runs).toEqual(["count", "count", "count"]);
  });

  test("with a credential of its own has a session for it, and the credential is not another client's", async () => {
    const signed = (token: string) => {
      return client("signed", { headers: { Authorization: `Bearer ${token}`, "X-Countersign-Key": relayKey } });
    };
    expect(textOf(await signed("one").call("count"))).toBe("1");
    expect(textOf(await signed("two").call("count"))).toBe("1");
    expect(textOf(await signed("one").call("count"))).toBe("2");
  });

  test("is told which revisions the server speaks where that begins no session", async () => {
    const { status, message } = await client("none").send("server/discover");
    expect({ status, error: message.error }).toMatchObject({ status: 400, error: { code: -32_022, data: { requested: "2026-07-28" } } });
    expect(await client("none").call("plain")).toMatchObject({ status: 405 });
  });

  test("has SDK 2.x servers too", async () => {
    expect((await client("matrix").call("ask", { question: "What?" })).message.result).toMatchObject({
      resultType: "complete",
      content: [{ text: expect.stringContaining("Hello from") }],
    });
  });
});

test("a key that is revoked ends its sessions, and what waits in them", async () => {
  const key = await office.key({ name: "ending", owner: "ada@example.com", scopes: ["sampling"] });
  const its = client("old", { key });
  const { state } = asked(await its.call("elicit", { question: "Until when?" }));
  await office.revoke("ending");
  const refused = await until("the end", async () => {
    const answer = await its.call("elicit", { question: "Until when?" }, { requestState: state }).catch(() => null);
    return answer === null ? null : answer.message.error;
  });
  expect(refused.message).toMatch(/revoked|key/i);
});
