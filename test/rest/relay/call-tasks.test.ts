// Calls as tasks, by the extension of 2026-07-28: no SDK's client has it yet, so the messages are
// written by hand.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decideByLink } from "../../outside/support/killable-gateway.ts";
import { type ModernServer, repeatedContinuations, serveModern } from "../../outside/support/modern-server.ts";
import { until } from "../../outside/support/raw-client.ts";
import { openedReview } from "../../outside/support/opened-review.ts";
import { type RelayOffice, openGates, relayKey, relayOffice } from "../../outside/support/relay-office.ts";

const extension = "io.modelcontextprotocol/tasks";
const declared = { extensions: { [extension]: {} }, elicitation: { form: {} } };

type Answer = {
  readonly result?: Record<string, unknown> & { readonly taskId: string; readonly status?: string; readonly requestState?: string };
  readonly error?: { readonly code: number; readonly message: string };
};

let office: RelayOffice;
let modern: ModernServer;
let otherKey: string;
beforeAll(async () => {
  [office, modern] = await Promise.all([relayOffice({ RELAY_HOLD_SECONDS: "1" }), serveModern()]);
  await office.serve({ modern: { url: modern.url, allowPrivate: true }, other: { url: modern.url, allowPrivate: true } });
  const rule = { name: "asked", when: {}, then: { request: "review", response: "allow", reviewers: ["everyone"], deadlineSeconds: 600 } };
  await office.rule({ ...openGates, rules: [rule], reviewers: { everyone: [{ name: "Ada" }] } });
  otherKey = await office.key({ name: "other" });
});
afterAll(async () => {
  await Promise.all([office?.close(), modern?.close()]);
});

let serial = 0;

/** One request; the response, out of JSON or a stream. */
async function send(
  method: string,
  params: Record<string, unknown>,
  { capabilities = declared, key = relayKey, server = "modern" }: { capabilities?: object; key?: string; server?: string } = {},
): Promise<Answer> {
  serial += 1;
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    "io.modelcontextprotocol/clientInfo": { name: "by hand", version: "1" },
  };
  const name = params["name"] ?? params["taskId"];
  const response = await fetch(office.relay(server), {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", id: serial, method, params: { ...params, _meta } }),
    headers: {
      Authorization: `Bearer ${key}`,
      Accept: "application/json, text/event-stream",
      "Content-Type": "application/json",
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": method,
      ...(typeof name === "string" ? { "Mcp-Name": name } : {}),
    },
  });
  const text = await response.text();
  const last = text.startsWith("{") ? text : (text.match(/^data: (.*)$/gm)?.at(-1) ?? "").slice(6);
  return JSON.parse(last) as Answer;
}

const call = (name: string, question: string): Promise<Answer> => send("tools/call", { name, arguments: { question } });

/** The first answer to a call, and the link of the review that it opens. */
async function linkOf<T>(begin: () => Promise<T>): Promise<{ readonly begun: T; readonly link: string }> {
  const { called, link } = await openedReview(office, begin);
  return { begun: await called, link };
}

const ended = (taskId: string): Promise<Answer["result"]> =>
  until("the task's end", async () => {
    const { result } = await send("tasks/get", { taskId });
    return result?.status === "working" ? undefined : result;
  });

describe("a call that waits for a person, of a client with the extension", () => {
  test("is handed over to a task, which ends with the tool's result; discover says that there are tasks", async () => {
    const discovered = await send("server/discover", {});
    expect(discovered.result?.["capabilities"]).toMatchObject({ extensions: { [extension]: {} } });
    const { begun, link } = await linkOf(() => call("ask", "As a task"));
    const taskId = begun.result?.taskId ?? "";
    expect(begun.result).toMatchObject({ resultType: "task", status: "working", pollIntervalMs: 5_000 });
    expect((await send("tasks/get", { taskId })).result).toMatchObject({ resultType: "complete", taskId, status: "working" });
    await decideByLink(link, "approve");
    expect(await ended(taskId)).toMatchObject({
      resultType: "complete",
      status: "completed",
      result: { content: [{ type: "text", text: "Hello from the scripted provider." }] },
    });
    // Asked again, it says the same, and the server was asked once.
    expect((await send("tasks/get", { taskId })).result).toMatchObject({ status: "completed" });
    expect(repeatedContinuations(modern.received)).toEqual([]);
  });

  test("ends with the sentence where the person says no", async () => {
    const { begun, link } = await linkOf(() => call("ask", "Denied, as a task"));
    await decideByLink(link, "deny");
    expect(await ended(begun.result?.taskId ?? "")).toMatchObject({
      status: "completed",
      result: { isError: true, content: [{ type: "text", text: "User rejected sampling request" }] },
    });
  });

  test("asks the client in a round first, and takes no reply to sampling from it", async () => {
    const { begun: first, link } = await linkOf(() => call("ask-and-elicit", "Asked beside"));
    expect(first.result).toMatchObject({ resultType: "input_required", inputRequests: { confirm: { method: "elicitation/create" } } });
    const begun = await send("tools/call", {
      name: "ask-and-elicit",
      arguments: { question: "Asked beside" },
      requestState: first.result?.requestState,
      inputResponses: { confirm: { action: "accept", content: { confirm: true } }, reply: { role: "assistant", model: "m", content: [] } },
    });
    await decideByLink(link, "approve");
    const done = await ended(begun.result?.taskId ?? "");
    expect(JSON.stringify(done)).toContain("Hello from the scripted provider.");
  });

  test("is cancelled by tasks/cancel, and its review is withdrawn", async () => {
    const { begun, link } = await linkOf(() => call("ask", "Cancelled, as a task"));
    const taskId = begun.result?.taskId ?? "";
    expect((await send("tasks/cancel", { taskId })).result).toEqual({ resultType: "complete" });
    expect(await ended(taskId)).toMatchObject({ status: "cancelled" });
    await until("its withdrawal", async () => ((await (await fetch(link)).text()).includes("<form") ? undefined : true));
  });

  test("is nobody else's: not another key's, nor at another server, nor of a client without the extension", async () => {
    const { begun } = await linkOf(() => call("ask", "Mine alone"));
    const taskId = begun.result?.taskId ?? "";
    expect((await send("tasks/get", { taskId }, { key: otherKey })).error).toMatchObject({ code: -32_602 });
    // Another server gets what is no task of the gateway there, and knows of none.
    expect((await send("tasks/get", { taskId }, { server: "other" })).error).toMatchObject({ code: -32_601 });
    expect((await send("tasks/get", { taskId }, { capabilities: {} })).error).toMatchObject({ code: -32_021 });
    expect((await send("tasks/get", { taskId: `${taskId.slice(0, -2)}AA` })).error).toMatchObject({ code: -32_601 });
    expect((await send("tasks/get", { taskId })).result).toMatchObject({ status: "working" });
  });
});
