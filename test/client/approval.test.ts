// A host that asks about a call: one decision, through broken connections, and never a yes that
// nobody gave.

import { expect, test, vi } from "vitest";
import { type ApprovalOptions, requestApproval } from "../../client/sampling-handler.ts";
import { hurried } from "./manual-timing.ts";

const call = { tool: "delete_file", server: "files", arguments: { path: "/tmp/report.txt" } };
const approved = { id: "run_1", decision: "approved", mode: "human", arguments: { path: "/tmp/other.txt" }, edited: true };

type Sent = { readonly url: string; readonly headers: Headers; readonly body: unknown };

/** A gateway that answers each request with the next of these. A number is a bare status. */
function scripted(...answers: readonly (object | number | "dropped" | (() => Response))[]) {
  const sent: Sent[] = [];
  const fetch: NonNullable<ApprovalOptions["fetch"]> = async (input, init) => {
    sent.push({ url: String(input), headers: new Headers(init?.headers), body: JSON.parse(String(init?.body)) });
    const answer = answers[sent.length - 1];
    if (answer === undefined || answer === "dropped") throw new TypeError("fetch failed");
    if (typeof answer === "function") return answer();
    return typeof answer === "number" ? new Response(null, { status: answer }) : Response.json(answer);
  };
  const options: ApprovalOptions = { url: "https://gateway.example/base/", apiKey: "csk_test", fetch, timing: hurried };
  return { sent, options };
}

test("gets the decision, and sends the call as it is", async () => {
  const { sent, options } = scripted(approved);
  expect(await requestApproval(call, options)).toEqual(approved);
  expect(sent).toMatchObject([{ url: "https://gateway.example/base/approvals", body: call }]);
  expect(sent[0]?.headers.get("authorization")).toBe("Bearer csk_test");
});

test("asks about the same call again where the connection breaks, before the answer or in it", async () => {
  const cut = (): Response => new Response("   {", { headers: { "Content-Type": "application/json" } });
  const { sent, options } = scripted("dropped", cut, 503, approved);
  expect(await requestApproval(call, options)).toEqual(approved);
  const ids = sent.map(({ headers }) => headers.get("idempotency-key"));
  expect(sent).toHaveLength(4);
  expect(new Set(ids).size).toBe(1);
  expect(ids[0]).toMatch(/^[\x21-\x7e]{20,}$/);
});

test("a host that listens to nothing hears on stderr of a gateway that is down, once", async () => {
  const lines: unknown[] = [];
  // Another test may have had the line within this minute.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
  const stderr = vi.spyOn(console, "error").mockImplementation((line) => void lines.push(line));
  for (let times = 0; times < 2; times += 1) await requestApproval(call, scripted("dropped", approved).options);
  stderr.mockRestore();
  vi.useRealTimers();
  expect(lines).toEqual(["countersign: The sampling gateway cannot be reached; asking again. Is its url right, and does it run?"]);
  const heard: string[] = [];
  const { options } = scripted("dropped", approved);
  await requestApproval(call, { ...options, onError: ({ message }) => heard.push(message) });
  expect(heard).toHaveLength(1);
});

test("another call is another request, unless the host names it", async () => {
  const { sent, options } = scripted(approved, approved, approved, approved);
  for (const more of [{}, {}, { id: "call-1" }, { id: "call-1" }]) await requestApproval(call, { ...options, ...more });
  const [first, second, third, fourth] = sent.map(({ headers }) => headers.get("idempotency-key"));
  expect(first).not.toBe(second);
  expect([third, fourth]).toEqual(["call-1", "call-1"]);
});

test("reads comments and the decision out of a stream", async () => {
  const events = `: open\n\n: waiting\n\nevent: message\ndata: ${JSON.stringify(approved)}\n\n`;
  const { options } = scripted(() => new Response(events, { headers: { "Content-Type": "text/event-stream" } }));
  expect(await requestApproval(call, options)).toEqual(approved);
});

test.each([
  [400, -32_602, "Invalid params: /tool"],
  [403, -1, "This is stopped by an operator"],
  [409, -32_600, "this id was used before"],
])("a refusal (%i) is an error with the gateway's own words", async (status, code, message) => {
  const { options } = scripted(() => Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status }));
  await expect(requestApproval(call, options)).rejects.toMatchObject({ name: "RpcError", code, message });
});

test("what is no decision is none: a page of a proxy, an empty body, another shape", async () => {
  for (const answer of [{ approved: true }, { jsonrpc: "2.0", id: null, result: {} }, () => new Response("<html>OK</html>")]) {
    const { options } = scripted(...Array.from({ length: 50 }, () => answer));
    let now = 0;
    const timing = { ...hurried, now: () => (now += 10_000) };
    await expect(requestApproval(call, { ...options, timing, deadlineMilliseconds: 300_000 })).rejects.toThrow(
      "did not answer within 5 minutes",
    );
  }
});

test("a wrong key is never in the error, and options that cannot work are refused", async () => {
  const { options } = scripted(() => Response.json({ jsonrpc: "2.0", id: null, error: { code: -32_014, message: "no" } }, { status: 401 }));
  const error: unknown = await requestApproval(call, options).catch((thrown: unknown) => thrown);
  expect(String(error)).toContain("API key");
  expect(String(error)).not.toContain("csk_test");
  await expect(requestApproval(call, { ...options, url: "gateway" })).rejects.toThrow(TypeError);
  await expect(requestApproval(call, { ...options, apiKey: "" })).rejects.toThrow(TypeError);
});
