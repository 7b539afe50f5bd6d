import { describe, expect, test } from "vitest";
import { Gateway, type GatewaySettings, GaveUp } from "../../client/gateway.ts";
import type { JsonRpcRequest } from "../../client/rpc-messages.ts";
import type { Progress } from "../../client/sampling-connection.ts";
import { hurried, ManualTiming, settle } from "./manual-timing.ts";

const KEY = "key-that-must-not-be-told";
const REQUEST: JsonRpcRequest = {
  jsonrpc: "2.0",
  id: 7,
  method: "sampling/createMessage",
  params: { secret: "prompt-that-must-not-be-told" },
};
const RESULT = { role: "assistant", content: { type: "text", text: "grüße 😀" }, model: "m" };
const ANSWER = { jsonrpc: "2.0", id: 7, result: RESULT };

type Scripted = Response | "no connection" | "hangs";

/**
 * A gateway behind a scripted network: each attempt gets the next answer, the last one again and
 * again.
 */
function scripted(answers: (() => Scripted)[], settings: Partial<GatewaySettings> = {}) {
  const bodies: string[] = [];
  const requests: RequestInit[] = [];
  const urls: string[] = [];
  const errors: Error[] = [];
  const gateway = new Gateway({
    url: "https://gateway.test/base/",
    apiKey: KEY,
    timing: hurried,
    deadlineMilliseconds: 15 * 60_000,
    silenceMilliseconds: 60_000,
    onError: (error) => errors.push(error),
    fetch: async (input, init = {}) => {
      urls.push(String(input));
      requests.push(init);
      bodies.push(String(init.body));
      const answer = (answers[bodies.length - 1] ?? answers.at(-1))?.();
      if (answer === undefined || answer === "no connection") throw new TypeError("fetch failed");
      if (answer === "hangs")
        return new Promise((_resolve, reject) => init.signal?.addEventListener("abort", () => reject(new Error("aborted"))));
      return answer;
    },
    ...settings,
  });
  return { gateway, bodies, requests, urls, errors };
}

const body = (bytes: Uint8Array, end: "closed" | "broken" | "open"): ReadableStream<Uint8Array> => {
  let sent = false;
  return new ReadableStream({
    pull(controller) {
      if (!sent && bytes.length > 0) controller.enqueue(bytes);
      else if (end === "broken") controller.error(new Error("connection reset"));
      else if (end === "closed") controller.close();
      else return new Promise(() => undefined);
      sent = true;
      return undefined;
    },
  });
};
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const streamed = (bytes: Uint8Array, end: "closed" | "broken" | "open" = "open"): Response =>
  new Response(body(bytes, end), { headers: { "content-type": "text/event-stream; charset=utf-8" } });
const progressEvent = (progress: number, message: string): string =>
  `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "p", progress, message } })}\n\n`;
const answerEvent = `event: message\ndata: ${JSON.stringify(ANSWER)}\n\n`;
const whole = (): Response => streamed(encode(answerEvent));
const status =
  (code: number, headers: Record<string, string> = {}, answer?: unknown): (() => Response) =>
  () =>
    answer === undefined ? new Response("<html>", { status: code, headers }) : Response.json(answer, { status: code, headers });
const rpcError = (code: number, message: string, data?: unknown) => ({
  jsonrpc: "2.0",
  id: null,
  error: { code, message, ...(data === undefined ? {} : { data }) },
});
const never = new AbortController().signal;

describe("a call to the gateway", () => {
  test("posts the request to the base address with the key, asks for a stream, and follows no redirect", async () => {
    const { gateway, urls, requests, bodies } = scripted([whole]);
    expect(await gateway.call(REQUEST, never)).toEqual(RESULT);
    expect(urls).toEqual(["https://gateway.test/base/sampling"]);
    expect(requests[0]).toMatchObject({ method: "POST", redirect: "manual" });
    expect(Object.fromEntries(new Headers(requests[0]?.headers))).toEqual({
      authorization: `Bearer ${KEY}`,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
    });
    expect(bodies).toEqual([JSON.stringify(REQUEST)]);
  });

  test.each(["\n", "\r\n", "\r"])(
    "gets the reply with the stream cut at every byte (line end %j), by asking the same again",
    async (lineEnd) => {
      const text = `: open\n\n${progressEvent(1, "waiting für 😀")}: still here\n\n${answerEvent}`.replaceAll("\n", lineEnd);
      const bytes = encode(text);
      const complete = bytes.length - (lineEnd === "\r\n" ? 1 : 0);
      for (let cut = 0; cut <= bytes.length; cut += 1) {
        for (const end of ["closed", "broken"] as const) {
          const { gateway, bodies } = scripted([() => streamed(bytes.subarray(0, cut), end), whole]);
          expect(await gateway.call(REQUEST, never)).toEqual(RESULT);
          expect(bodies).toEqual(cut >= complete ? [JSON.stringify(REQUEST)] : [JSON.stringify(REQUEST), JSON.stringify(REQUEST)]);
        }
      }
    },
  );

  test("gets the reply with a JSON answer cut at every byte, heartbeats of white space before it", async () => {
    const bytes = encode(`  \n \n${JSON.stringify(ANSWER)}`);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const first = () => new Response(body(bytes.subarray(0, cut), "closed"), { headers: { "content-type": "application/json" } });
      const { gateway, bodies } = scripted([first, () => Response.json(ANSWER)]);
      expect(await gateway.call(REQUEST, never)).toEqual(RESULT);
      expect(bodies).toHaveLength(cut === bytes.length ? 1 : 2);
    }
  });

  test("hands on the gateway's progress and heartbeats", async () => {
    const progress: Progress[] = [];
    let heartbeats = 0;
    const { gateway } = scripted([
      () => streamed(encode(`: open\n\n${progressEvent(1, "request gate")}${progressEvent(2, "generating")}${answerEvent}`)),
    ]);
    await gateway.call(REQUEST, never, { onProgress: (update) => progress.push(update), onHeartbeat: () => (heartbeats += 1) });
    expect(progress).toEqual([
      { progress: 1, message: "request gate" },
      { progress: 2, message: "generating" },
    ]);
    expect(heartbeats).toBe(1);
  });

  test("never asks again after a JSON-RPC error, whatever HTTP status it comes with", async () => {
    const error = { jsonrpc: "2.0", id: 7, error: { code: -1, message: "User rejected sampling request", data: { outcome: "rejected" } } };
    for (const answer of [
      status(200, {}, error),
      status(500, {}, error),
      status(400, {}, error),
      () => streamed(encode(`data: ${JSON.stringify(error)}\n\n`)),
    ]) {
      const { gateway, bodies } = scripted([answer]);
      await expect(gateway.call(REQUEST, never)).rejects.toMatchObject({
        code: -1,
        message: "User rejected sampling request",
        data: { outcome: "rejected" },
      });
      expect(bodies).toHaveLength(1);
    }
  });

  test("takes no other request's answer for its own", async () => {
    const other = `data: ${JSON.stringify({ ...ANSWER, id: "7", result: { other: true } })}\n\n`;
    const { gateway } = scripted([() => streamed(encode(other + answerEvent))]);
    expect(await gateway.call(REQUEST, never)).toEqual(RESULT);
  });

  test.each<[string, () => Response, number, string]>([
    ["a refused key", status(401, {}, rpcError(-32014, "No or bad key")), -32014, "set a valid apiKey"],
    ["a refused key from a proxy", status(403), -32014, "set a valid apiKey"],
    ["a request over the limit", status(413, {}, rpcError(-32015, "Too large")), -32015, "larger than the sampling gateway takes"],
    ["a changed content type", status(415), -32016, "look for a proxy"],
    ["an address without a gateway", status(404), -32603, "set url to the gateway's base address"],
    ["a redirect", status(308, { location: "https://elsewhere.test" }), -32603, "set url to the gateway's base address"],
  ])("ends at %s and says what to do", async (_name, answer, code, message) => {
    const { gateway, bodies, errors } = scripted([answer]);
    await expect(gateway.call(REQUEST, never)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    expect(bodies).toHaveLength(1);
    expect(errors).toHaveLength(1);
    expect(JSON.stringify(errors.map(({ message, stack, cause }) => ({ message, stack, cause })))).not.toMatch(/must-not-be-told/);
  });

  test.each<[string, Record<string, string>, unknown, number]>([
    ["seconds in Retry-After", { "retry-after": "42" }, rpcError(-32013, "Rate limited", { retryAfterMs: 1 }), 42_000],
    ["a date in Retry-After", { "retry-after": new Date(1_000_000 + 9_000).toUTCString() }, rpcError(-32013, "Rate limited"), 9_000],
    ["the error's retryAfterMs", {}, rpcError(-32013, "Rate limited", { retryAfterMs: 1_500 }), 1_500],
  ])("waits as told by %s when the rate limit is reached", async (_name, headers, answer, wait) => {
    const timing = new ManualTiming();
    const { gateway, bodies } = scripted([status(429, headers, answer), whole], { timing });
    const call = gateway.call(REQUEST, never);
    await timing.advance(wait - 1);
    expect(bodies).toHaveLength(1);
    await timing.advance(1);
    expect(bodies).toHaveLength(2);
    expect(await call).toEqual(RESULT);
  });

  test("ends at once with a limit that no waiting changes: too many rounds of one tool loop", async () => {
    const error = rpcError(-32013, "Rate limited: end the tool loop", { limit: "roundsPerOriginatingRequest", max: 25 });
    const { gateway, bodies } = scripted([status(429, {}, error)]);
    await expect(gateway.call(REQUEST, never)).rejects.toMatchObject({ code: -32013, message: "Rate limited: end the tool loop" });
    expect(bodies).toHaveLength(1);
  });

  test("ends with the rate limit's error when the wait would pass the deadline", async () => {
    const { gateway, bodies } = scripted([
      status(429, { "retry-after": "3600" }, rpcError(-32013, "Rate limited", { retryAfterMs: 3_600_000 })),
    ]);
    await expect(gateway.call(REQUEST, never)).rejects.toMatchObject({ code: -32013, data: { retryAfterMs: 3_600_000 } });
    expect(bodies).toHaveLength(1);
  });

  test("pauses longer after each failure, at most 15 s, and gives up at the deadline", async () => {
    const timing = new ManualTiming();
    const { gateway, bodies, errors } = scripted([() => "no connection"], { timing });
    const call = gateway.call(REQUEST, never);
    const outcome = expect(call).rejects.toMatchObject({
      code: -32001,
      message: "The sampling gateway did not answer within 15 minutes (no connection).",
    });
    await timing.advance(15 * 60_000);
    await outcome;
    const pauses = timing.waits.filter((wait) => wait < 20_000);
    expect(pauses.slice(0, 7)).toEqual([375, 750, 1_500, 3_000, 6_000, 11_250, 11_250]);
    expect(bodies.length).toBeGreaterThan(70);
    expect(errors.map(({ message }) => message)).toEqual([
      "The sampling gateway cannot be reached; asking again. Is its url right, and does it run?",
      expect.stringContaining("did not answer"),
    ]);
    expect(timing.sleeping).toBe(0);
  });

  test("gives up sooner on a gateway that never took the request, with an error of its own and nobody to tell", async () => {
    const timing = new ManualTiming();
    const { gateway, bodies, errors } = scripted([() => "no connection"], { timing, connectMilliseconds: 10_000 });
    const called = gateway.call(REQUEST, new AbortController().signal).catch((error: unknown) => error);
    await timing.advance(10_000);
    expect(await called).toMatchObject({ code: -32001, message: "The sampling gateway cannot be reached." });
    expect(await called).not.toBeInstanceOf(GaveUp);
    expect(bodies.length).toBeGreaterThan(2);
    expect(errors.map(({ message }) => message)).toEqual([
      "The sampling gateway cannot be reached; asking again. Is its url right, and does it run?",
    ]);
  });

  test("says after 20 s, well before a host's own 60 s, that a gateway is silent, and goes on waiting", async () => {
    const timing = new ManualTiming();
    const { gateway, errors } = scripted([() => "hangs", () => Response.json(ANSWER)], { timing });
    const called = gateway.call(REQUEST, new AbortController().signal);
    await timing.advance(19_999);
    expect(errors).toEqual([]);
    await timing.advance(1);
    expect(errors.map(({ message }) => message)).toEqual([
      "The sampling gateway has sent nothing for 20 s; still waiting. Is its url right, and does it run?",
    ]);
    await timing.advance(60_000);
    expect(await called).toEqual(RESULT);
    expect([errors.length, timing.sleeping]).toEqual([1, 0]);
  });

  test("waits the whole deadline for a gateway that took the request before it was lost", async () => {
    const timing = new ManualTiming();
    const begun = (): Response => new Response(body(encode(": open\n\n"), "broken"), { headers: { "content-type": "text/event-stream" } });
    const answers = [begun, ...Array.from({ length: 6 }, () => (): Scripted => "no connection"), () => Response.json(ANSWER)];
    const { gateway } = scripted(answers, { timing, connectMilliseconds: 1_000 });
    const called = gateway.call(REQUEST, new AbortController().signal);
    await timing.advance(60_000);
    expect(await called).toEqual(RESULT);
  });

  test("reads no event to its end that is longer than any reply, and does not ask for it again", async () => {
    const endless = encode(`data: ${"x".repeat(64_000_000)}`);
    const { gateway, bodies } = scripted([() => streamed(endless)]);
    await expect(gateway.call(REQUEST, never)).rejects.toMatchObject({ code: -32603, message: expect.stringContaining("too long") });
    expect(bodies).toHaveLength(1);
  });

  test("tells nobody of a connection that broke and was made again", async () => {
    const timing = new ManualTiming();
    const { gateway, bodies, errors } = scripted([() => streamed(encode(": open\n\n"), "broken"), whole], { timing });
    const call = gateway.call(REQUEST, never);
    await timing.advance(1_000);
    expect(await call).toEqual(RESULT);
    expect(bodies).toHaveLength(2);
    expect(errors).toEqual([]);
  });

  test("begins with short pauses again after a connection that lived", async () => {
    const timing = new ManualTiming();
    let cut: () => void = () => undefined;
    const living = () =>
      new Response(new ReadableStream({ start: (controller) => void (cut = () => controller.error(new Error("reset"))) }), {
        headers: { "content-type": "text/event-stream" },
      });
    const { gateway } = scripted([() => "no connection", () => "no connection", living, () => "no connection", whole], { timing });
    const call = gateway.call(REQUEST, never);
    await timing.advance(375 + 750);
    await timing.advance(40_000);
    cut();
    await timing.advance(375 + 750);
    expect(await call).toEqual(RESULT);
    expect(timing.waits.filter((wait) => wait < 20_000)).toEqual([375, 750, 375, 750]);
  });

  test("takes a gateway that falls silent for gone after 60 s, before and after the answer has begun", async () => {
    const timing = new ManualTiming();
    const { gateway, bodies } = scripted([() => "hangs", () => streamed(encode(": open\n\n")), whole], { timing });
    const call = gateway.call(REQUEST, never);
    await timing.advance(59_999);
    expect(bodies).toHaveLength(1);
    await timing.advance(1_000);
    expect(bodies).toHaveLength(2);
    await timing.advance(61_000);
    expect(bodies).toHaveLength(3);
    expect(await call).toEqual(RESULT);
  });

  test("waits for as long as heartbeats come, up to the deadline", async () => {
    const timing = new ManualTiming();
    let push: (text: string) => void = () => undefined;
    const beating = () =>
      new Response(new ReadableStream({ start: (controller) => void (push = (text) => controller.enqueue(encode(text))) }), {
        headers: { "content-type": "text/event-stream" },
      });
    const { gateway, bodies } = scripted([beating], { timing });
    const call = gateway.call(REQUEST, never);
    const outcome = expect(call).rejects.toMatchObject({ code: -32001 });
    for (let minutes = 0; minutes < 14; minutes += 0.5) {
      await timing.advance(30_000);
      push(": still here\n\n");
    }
    expect(bodies).toHaveLength(1);
    await timing.advance(60_000);
    await outcome;
    expect(bodies).toHaveLength(1);
  });

  test("ends with the signal's reason, at once, while connecting, reading or pausing", async () => {
    for (const answer of [() => "hangs" as const, () => streamed(encode(": open\n\n")), () => "no connection" as const]) {
      const timing = new ManualTiming();
      const { gateway, bodies } = scripted([answer], { timing });
      const stop = new AbortController();
      const call = gateway.call(REQUEST, stop.signal);
      const outcome = expect(call).rejects.toThrow("enough");
      await settle();
      stop.abort(new Error("enough"));
      await outcome;
      expect(bodies).toHaveLength(1);
      expect(timing.sleeping).toBe(0);
    }
  });
});

describe("a notice to the gateway", () => {
  test("is sent again a few times, then told to the host as lost, without the session's name", async () => {
    const { gateway, urls, requests, errors } = scripted([() => "no connection", status(503), status(429), () => "no connection"]);
    gateway.requestEnded("s 1/é", "notes & co", "a/7");
    await gateway.flush();
    expect(new Set(urls)).toEqual(
      new Set(["https://gateway.test/base/sessions/s%201%2F%C3%A9/requests/%22a%2F7%22?server=notes%20%26%20co"]),
    );
    expect(requests.map(({ method }) => method)).toEqual(["DELETE", "DELETE", "DELETE", "DELETE"]);
    expect(errors).toHaveLength(1);
    expect(errors[0]?.message).not.toContain("s 1");
  });

  test("that arrived is not sent again, also where the gateway never knew the session", async () => {
    for (const code of [204, 404]) {
      const { gateway, urls, errors } = scripted([() => new Response(null, { status: code })]);
      gateway.sessionEnded("s");
      await gateway.flush();
      expect(urls).toEqual(["https://gateway.test/base/sessions/s"]);
      expect(errors).toEqual([]);
    }
  });

  test("that is refused is told to the host once", async () => {
    const { gateway, urls, errors } = scripted([status(401)]);
    gateway.sessionEnded("s");
    await gateway.flush();
    expect(urls).toHaveLength(1);
    expect(errors.map(({ message }) => message)).toEqual(["The sampling gateway refused DELETE sessions (HTTP 401)."]);
  });
});
