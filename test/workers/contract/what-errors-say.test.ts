// What an error tells its reader to do: which credential was wrong, which member to send, which
// method a path takes.

import { describe, expect, test } from "vitest";
import { openapi } from "../../../workers/endpoints/openapi/openapi.ts";
import { app } from "../../../workers/app.ts";
import { adminToken, errorOf, eventually, gateway, model, sample } from "../support/gateway.ts";
import {
  type Message,
  RelayClient,
  configureServers,
  eventFor,
  openStream,
  responseTo,
  samplingRequest,
  scriptUpstream,
  upstreamOrigin,
} from "../support/mcp-server.ts";
import { StatelessClient, samplesOnce, samplingInput } from "../support/stateless.ts";

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const said = async (path: string, headers: Record<string, string> = {}) => {
  const response = await gateway(path, { key: null, headers });
  return { status: response.status, error: ((await response.json()) as { error: string }).error };
};

describe("a credential", () => {
  test.each(["/admin/runs", "/metrics"])("that is wrong at %s is said to be wrong, and is not repeated", async (path) => {
    const wrong = "made-up-admin-token-0123";
    const none = await said(path);
    expect(none).toMatchObject({ status: 401, error: expect.stringMatching(/^Send Authorization: Bearer </) });
    const answer = await said(path, bearer(wrong));
    expect(answer).toMatchObject({ status: 401, error: expect.stringMatching(/^The token in Authorization is not /) });
    expect(answer.error).not.toContain(wrong);
    expect(await said(path, { Authorization: "Basic YTpi" })).toMatchObject({
      status: 401,
      error: expect.stringMatching(/^Authorization has no Bearer token/),
    });
  });

  test("that is an API key is said to be one at /admin", async () => {
    expect((await said("/admin/runs", bearer("csk_anything-that-was-made"))).error).toContain("an API key");
  });
});

describe("another method than a path takes", () => {
  const paths = openapi(app)["paths"] as Record<string, Record<string, { summary: string }>>;
  const methods = ["GET", "POST", "PUT", "DELETE", "PATCH"];

  test.each(Object.keys(paths))("at %s is 405, with those that it takes", async (path) => {
    const taken = Object.keys(paths[path] ?? {}).map((method) => method.toUpperCase());
    for (const method of methods.filter((each) => !taken.includes(each))) {
      // Slashes that a parameter's pattern needs are in none of these values.
      const at = path.replaceAll(/\{\w+\}/g, "any");
      const response = await gateway(at, { method, key: null, headers: bearer(path.startsWith("/admin") ? adminToken : "none") });
      if (response.status === 401) continue; // a path whose own middleware wants a credential first
      expect([method, response.status]).toEqual([method, 405]);
      for (const each of taken) expect(response.headers.get("Allow")?.split(", ")).toContain(each);
    }
  });

  test("says how to call it: GET /sampling", async () => {
    const response = await gateway("/sampling", { key: null });
    expect([response.status, response.headers.get("Allow")]).toEqual([405, "POST"]);
    const { error } = (await response.json()) as { error: string };
    expect(error).toBe(`Use POST /sampling: ${paths["/sampling"]?.["post"]?.summary ?? ""}. GET /openapi describes it`);
    expect((await gateway("/samplings", { key: null })).status).toBe(404);
  });

  test("is 405 at /v1 in the form of OpenAI's errors", async () => {
    const response = await gateway("/v1/chat/completions", { key: null });
    expect([response.status, response.headers.get("Allow")]).toEqual([405, "POST"]);
    expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error", message: expect.stringContaining("POST") } });
  });
});

describe("a sampling request", () => {
  test.each([
    ["countersign/session", "noSession"],
    ["countersign/originatingRequest", "noOriginatingRequest"],
  ])("without %s is told to send it", async (member, reason) => {
    const error = await errorOf(sample({ meta: { [member]: undefined } }));
    expect(error).toMatchObject({ code: -32602, data: { reason }, message: expect.stringContaining(`_meta["${member}"]`) });
  });

  const wrong = { messages: [{ role: "system", content: { type: "text", text: "Hello." } }] };

  test("that does not fit is told where and why in its message, at /sampling and at the relay of both families", async () => {
    const error = await errorOf(sample({ params: wrong }));
    const [first] = (error.data as { readonly errors: readonly { readonly pointer: string; readonly message: string }[] }).errors;
    const message = `Invalid params: ${first?.pointer ?? ""} ${first?.message ?? ""}`;
    expect(first?.pointer).toBe("/messages/0/role");
    expect(error.message).toBe(message);
    const url = `${upstreamOrigin}/mcp`;
    await configureServers({ open: { url }, "open-modern": { url, protocol: "2026" } });
    const upstream = scriptUpstream();
    expect((await pushed(upstream)).error).toMatchObject({ message, data: error.data });
    upstream.answer = samplesOnce({ reply: samplingInput("Where?", wrong) });
    const { result } = await new StatelessClient("open-modern").callToEnd();
    expect(result).toMatchObject({ isError: true, content: [{ text: message }] });
    expect(model.calls).toEqual([]);
  });

  async function pushed(upstream: ReturnType<typeof scriptUpstream>): Promise<Message> {
    const client = new RelayClient();
    await client.connect();
    const stream = openStream();
    upstream.answer = ({ message }) => (message.method === "tools/call" ? stream.response() : undefined);
    stream.say(eventFor(samplingRequest("ask-1", "Where?", wrong)));
    const call = client.call(1);
    const answer = await eventually("an answer to ask-1", async () => upstream.answersTo("ask-1")[0]);
    stream.say(eventFor(responseTo(1)));
    stream.end();
    await (await call).text();
    return answer;
  }
});
