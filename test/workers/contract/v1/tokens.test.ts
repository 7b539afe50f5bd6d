// Scoped tokens: who gets one, what it is good for, and what ends it.

import { beforeEach, describe, expect, test } from "vitest";
import { APIError } from "openai";
import {
  admin,
  configure,
  createKey,
  eventually,
  gateway,
  jsonBody,
  model,
  notices,
  openNotice,
  routing,
  travel,
} from "../../support/gateway.ts";
import {
  RelayClient,
  type Upstream,
  configureServers,
  eventFor,
  openStream,
  responseTo,
  samplingRequest,
  scriptUpstream,
  upstreamOrigin,
} from "../../support/mcp-server.ts";
import { decide } from "../../support/reviewer.ts";
import { recordLines } from "../../support/record.ts";
import { chatOf, clientOf, postV1, runIn } from "../../support/v1.ts";

type Token = {
  readonly token: string;
  readonly baseUrl: string;
  readonly expiresAt: string;
  readonly models: string[] | null;
  readonly maxUsd: number;
};

let key: string;
let id: string;
beforeEach(async () => {
  ({ key, id } = await createKey());
});

let requests = 0;
const claim = (more: object = {}): object => ({
  session: "sess-1",
  originatingRequest: { id: (requests += 1), method: "tools/call", name: "summarize", server: "open" },
  maxUsd: 1,
  ...more,
});

const ask = (body: object, from: string = key): Promise<Response> => gateway("/tokens", { key: from, ...jsonBody("POST", body) });
const tokenFor = async (more: object = {}): Promise<string> => (await (await ask(claim(more))).json<Token>()).token;

/** How a request with this token ends: 200, or the error's status and code. */
const endOf = (token: string, more: object = {}): Promise<unknown> =>
  clientOf(token)
    .chat.completions.create(chatOf("?", more))
    .then(
      () => 200,
      (error: unknown) => (error instanceof APIError ? [error.status, error.code] : error),
    );

describe("a host's", () => {
  test("stands for its key at the client request that it names, in the record with its event", async () => {
    const answer = await ask(claim());
    expect(answer.status).toBe(201);
    const made = await answer.json<Token>();
    expect(made).toMatchObject({ token: expect.stringMatching(/^cst_/), baseUrl: "http://localhost:8787/v1", models: null, maxUsd: 1 });
    const done = await clientOf(made.token).chat.completions.create(chatOf("?"));
    const [received] = await eventually("the record", async () => {
      const lines = await recordLines({ run: runIn(done) });
      return lines.length > 0 ? lines : null;
    });
    expect(received).toMatchObject({
      fact: { endpoint: "v1", key: id, server: "open", method: "tools/call", name: "summarize", provenance: "claimed" },
    });
    const events = (await recordLines()).filter(({ fact }) => fact.kind === "tokenMade");
    expect(events).toMatchObject([{ fact: { key: id, server: "open", name: "summarize", maxUsd: 1, models: null } }]);
    expect(JSON.stringify(events)).not.toContain(made.token);
  });

  test("is good at /v1 alone", async () => {
    const token = await tokenFor();
    for (const path of ["/sampling", "/control", "/tokens", "/mcp/open"])
      expect([path, (await gateway(path, { key: token, ...jsonBody("POST", {}) })).status]).toEqual([path, 401]);
    expect((await gateway("/v1/models", { key: token })).status).toBe(200);
  });

  test("meets the gates of its server, and the page names server and tool", async () => {
    const token = await tokenFor({ originatingRequest: { id: 900, method: "tools/call", name: "summarize", server: "request-gate" } });
    const asked = clientOf(token).chat.completions.create(chatOf("?"));
    const ended = asked.catch((error: unknown) => error);
    await decide("request", "deny");
    expect(await ended).toMatchObject({ code: "review_denied" });
    expect(model.calls).toHaveLength(0);
  });

  test("ends with its client request, with its session and with its key", async () => {
    const originatingRequest = { id: 7, method: "tools/call", name: "summarize", server: "open" };
    const first = await tokenFor({ originatingRequest });
    expect(await endOf(first)).toBe(200);
    await gateway("/sessions/sess-1/requests/7?server=open", { method: "DELETE", key });
    expect(await endOf(first)).toEqual([400, "invalid_value"]);
    expect((await ask(claim({ originatingRequest }))).status).not.toBe(201);
    const second = await tokenFor({ session: "sess-2" });
    await gateway("/sessions/sess-2", { method: "DELETE", key });
    expect(await endOf(second)).toEqual([400, "invalid_value"]);
    const third = await tokenFor({ session: "sess-3" });
    await admin(`/keys/${id}`, { method: "DELETE" });
    expect(await endOf(third)).toEqual([401, "invalid_api_key"]);
  });

  test("expires, and a changed one is unknown", async () => {
    const token = await tokenFor({ seconds: 10 });
    expect(await endOf(`${token.slice(0, -2)}AA`)).toEqual([401, "invalid_api_key"]);
    travel(11_000);
    expect(await endOf(token)).toEqual([401, "invalid_api_key"]);
  });

  test("is for its models, and never for more than its key", async () => {
    const token = await tokenFor({ models: ["first"] });
    expect(await endOf(token)).toBe(200);
    expect(await endOf(token, { model: "second" })).toEqual([404, "model_not_found"]);
    expect((await clientOf(token).models.list()).data.map(({ id: each }) => each)).toEqual(["auto", "first"]);
    const narrow = await createKey({ models: ["second"], servers: ["open"] });
    expect((await (await ask(claim(), narrow.key)).json<Token>()).models).toEqual(["second"]);
    expect((await ask(claim({ models: ["first"] }), narrow.key)).status).not.toBe(201);
    const elsewhere = { id: 1, method: "tools/call", name: "x", server: "other" };
    expect((await ask(claim({ originatingRequest: elsewhere }), narrow.key)).status).not.toBe(201);
    const { key: older } = await createKey({ scopes: ["sampling"] });
    expect((await ask(claim(), older)).status).toBe(403);
  });

  describe("with other models of the same client request", () => {
    const of = (id: number, server: string, models: readonly string[]): Promise<string> =>
      tokenFor({ models, originatingRequest: { id, method: "tools/call", name: "summarize", server } });

    test("is another request under the same Idempotency-Key: it gets no reply of a model that it may not use", async () => {
      const headers = { "Idempotency-Key": "same" };
      const statuses = [];
      for (const name of ["first", "second"])
        statuses.push((await postV1("/chat/completions", chatOf("?", { model: "auto" }), headers, await of(903, "open", [name]))).status);
      expect(statuses).toEqual([200, 409]);
    });

    test("takes over no run of the other one, as its own retry would", async () => {
      const ask = async (name: string, headers: Record<string, string>): Promise<Response> =>
        postV1("/chat/completions", chatOf("?", { model: "auto" }), headers, await of(904, "request-gate", [name]));
      const asked = [ask("first", {})];
      await openNotice("request");
      asked.push(ask("second", { "X-Stainless-Retry-Count": "1" }));
      await eventually("both reviews", async () => (await notices()).length === 2);
      await decide("request", "deny");
      await decide("request", "deny");
      expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([403, 403]);
    });
  });

  test("spends no more than it may, and what was spent with it counts for the key too", async () => {
    await configure("routing", {
      ...routing,
      models: routing.models.map((each) => ({ ...each, price: { inputPerMTok: 100, outputPerMTok: 100 } })),
    });
    // Room for two, whether they count with their worst case or, once that is settled behind the
    // answer, with what they used.
    const token = await tokenFor({ maxUsd: 0.025 });
    for (let done = 0; done < 2; done += 1) {
      model.script({ usage: { input: 5, output: 100 } });
      expect(await endOf(token)).toBe(200);
    }
    expect(await endOf(token)).toEqual([402, "insufficient_quota"]);
  });

  test("shares its amount with the other tokens of its client request", async () => {
    await configure("routing", {
      ...routing,
      models: routing.models.map((each) => ({ ...each, price: { inputPerMTok: 100, outputPerMTok: 100 } })),
    });
    const same = {
      session: "sess-1",
      originatingRequest: { id: 901, method: "tools/call", name: "summarize", server: "open" },
      maxUsd: 0.015,
    };
    // Each may cost more than a half of that.
    model.script({ usage: { input: 50, output: 50 } });
    expect(await endOf(await tokenFor(same))).toBe(200);
    expect(await endOf(await tokenFor(same))).toEqual([402, "insufficient_quota"]);
    expect(await endOf(await tokenFor({ ...same, originatingRequest: { ...same.originatingRequest, id: 902 } }))).toBe(200);
  });

  test.each([
    [{ session: "" }, 400],
    [{ originatingRequest: {} }, 400],
    [{ maxUsd: 0 }, 400],
    [{ seconds: 1e6 }, 400],
    [{ models: [] }, 400],
    [{ more: 1 }, 400],
  ])("is refused for %j", async (more, status) => {
    expect((await ask(claim(more))).status).toBe(status);
  });
});

describe("a server's, at the relay", () => {
  const url = `${upstreamOrigin}/mcp`;
  const v1Tokens = { models: ["first"], maxUsd: 0.5, maxSeconds: 60 };
  const asksForToken = (asked: object) => samplingRequest("ask", "Summarize.", { _meta: { "countersign/v1Token": asked } });

  let upstream: Upstream;
  beforeEach(async () => {
    upstream = scriptUpstream();
    await configureServers({ open: { url, v1Tokens }, "open-none": { url } });
  });

  type Answer = { readonly result: { readonly content: { readonly text: string }; readonly _meta: Record<string, Token> } };

  /**
   * Calls a tool whose server asks for a token on the response stream: its answer, and what ends
   * the call.
   */
  async function callTool(server: string, asked: object): Promise<{ answer: Answer; end: () => Promise<void> }> {
    const stream = openStream();
    upstream.answer = ({ message }) => (message.id === "call" ? stream.response() : undefined);
    const client = new RelayClient(server, { key });
    await client.connect();
    const called = client.request("call", "tools/call", { name: "summarize" });
    stream.say(eventFor(asksForToken(asked)));
    const answer = await eventually("an answer", async () => upstream.answersTo("ask")[0]);
    return {
      answer: answer as unknown as Answer, // a result, looked at below
      end: async () => {
        stream.say(eventFor(responseTo("call")));
        stream.end();
        await (await called).text();
      },
    };
  }

  test("is what its entry allows, observed, and dead when the tool call ends", async () => {
    const { answer, end } = await callTool("open", { maxUsd: 5, models: ["first", "second"], seconds: 3_600 });
    const made = answer.result._meta["countersign/v1Token"];
    expect(made).toMatchObject({ models: ["first"], maxUsd: 0.5 });
    expect(model.calls).toHaveLength(0);
    const token = made?.token ?? "";
    const done = await clientOf(token).chat.completions.create(chatOf("?"));
    const [received] = await eventually("the record", async () => {
      const lines = await recordLines({ run: runIn(done) });
      return lines.length > 0 ? lines : null;
    });
    expect(received).toMatchObject({ fact: { server: "open", name: "summarize", provenance: "observed" } });
    await end();
    await eventually("the token is dead", async () => JSON.stringify(await endOf(token)) === JSON.stringify([400, "invalid_value"]));
  });

  test("is none where its entry gives none: the request is one for a reply", async () => {
    model.script({ text: "A summary." });
    const { answer, end } = await callTool("open-none", {});
    expect(answer.result.content.text).toBe("A summary.");
    expect(answer.result._meta).not.toHaveProperty("countersign/v1Token");
    await end();
  });
});
