// A call as a task by the clients of the SDKs: that of 1.x has them as an experiment, learns of
// them from the relay, polls, and gets the result of what a person approved. That of 2.x has only
// their wire of 2025-11-25, for hosts that ask by themselves; of 2026-07-28 it takes no task. The
// server has none.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Client as ClientOfV2, SdkErrorCode, StreamableHTTPClientTransport as TransportOfV2 } from "@modelcontextprotocol/client";
import { z } from "zod";
import { decideByLink } from "../../outside/support/killable-gateway.ts";
import { type ModernServer, serveModern } from "../../outside/support/modern-server.ts";
import { type OldServer, serveOld } from "../../outside/support/old-server.ts";
import { openedReview } from "../../outside/support/opened-review.ts";
import { type RelayOffice, openGates, relayKey, relayOffice } from "../../outside/support/relay-office.ts";

let office: RelayOffice;
let old: OldServer;
let modern: ModernServer;

beforeAll(async () => {
  [office, old, modern] = await Promise.all([relayOffice(), serveOld(), serveModern({ legacy: "reject" })]);
  await office.serve({ old: { url: old.url, allowPrivate: true }, modern: { url: modern.url, allowPrivate: true } });
  const then = {
    request: "review",
    response: "allow",
    reviewers: ["everyone"],
    selfApproval: true,
    tellReason: true,
    deadlineSeconds: 600,
  };
  await office.rule({
    ...openGates,
    rules: [{ name: "asked", when: { subject: "toolCall" }, then }],
    reviewers: { everyone: [{ name: "Ada" }] },
  });
});
afterAll(async () => {
  await Promise.all([office?.close(), old?.close(), modern?.close()]);
});

async function connected(server: string): Promise<Client> {
  const client = new Client({ name: "tasks", version: "1" });
  const headers = { Authorization: `Bearer ${relayKey}` };
  // The SDK's own types differ under `exactOptionalPropertyTypes`.
  await client.connect(
    new StreamableHTTPClientTransport(new URL(office.relay(server)), { requestInit: { headers } }) as Parameters<Client["connect"]>[0],
  );
  // From the list it learns which tools may be tasks.
  await client.listTools();
  return client;
}

/** What the SDK says of a call, to its end. */
async function streamed(client: Client, call: { name: string; arguments: Record<string, string> }): Promise<readonly { type: string }[]> {
  const seen: { type: string }[] = [];
  for await (const message of client.experimental.tasks.callToolStream(call)) seen.push(message);
  return seen;
}

test.each([
  ["old", { name: "plain", arguments: { question: "as a task" } }, "Plain."],
  ["modern", { name: "echo", arguments: { text: "the text as a task" } }, "the text as a task"],
] as const)("the SDK's task at the %s server has the result of the approved call", async (server, call, text) => {
  const client = await connected(server);
  const { called, link } = await openedReview(office, () => streamed(client, { ...call }));
  expect(JSON.stringify(await client.experimental.tasks.listTasks())).toContain("Waiting for a person to review the call");
  await decideByLink(link, "approve");
  const seen = await called;
  expect(seen[0]).toMatchObject({ type: "taskCreated", task: { status: "working" } });
  expect(seen.at(-1)).toMatchObject({ type: "result" });
  expect(JSON.stringify(seen.at(-1))).toContain(text);
  await client.close();
});

test("the SDK's task can be cancelled, and the call is never sent", async () => {
  const client = await connected("old");
  const { called, link } = await openedReview(office, () =>
    streamed(client, { name: "plain", arguments: { question: "to be cancelled" } }),
  );
  expect(link).not.toBe("");
  const { tasks } = await client.experimental.tasks.listTasks();
  const waiting = tasks.find(({ status }) => status === "working");
  expect(await client.experimental.tasks.cancelTask(waiting?.taskId ?? "")).toMatchObject({ status: "cancelled" });
  expect((await called).at(-1)).toMatchObject({ type: "error" });
  expect(old.received.some(({ message }) => message.params?.arguments?.question === "to be cancelled")).toBe(false);
  await client.close();
});

describe("the client of the SDK 2.x", () => {
  const call = (text: string) => ({ name: "echo", arguments: { text } });
  const transport = (): TransportOfV2 =>
    new TransportOfV2(new URL(office.relay("modern")), { requestInit: { headers: { Authorization: `Bearer ${relayKey}` } } });
  const task = z.looseObject({ taskId: z.string(), status: z.string() });

  test("has a task in a session where its host asks for one, and its result", async () => {
    const client = new ClientOfV2({ name: "tasks", version: "1" });
    await client.connect(transport());
    expect(client.getServerCapabilities()?.tasks).toMatchObject({ requests: { tools: { call: {} } } });
    const begun = z.looseObject({ task });
    const { called, link } = await openedReview(office, () =>
      client.request({ method: "tools/call", params: { ...call("by its host"), task: { ttl: 60_000 } } }, begun),
    );
    const { taskId } = (await called).task;
    expect(await client.request({ method: "tasks/get", params: { taskId } }, task)).toMatchObject({ status: "working" });
    await decideByLink(link, "approve");
    const result = await client.request({ method: "tasks/result", params: { taskId } }, z.looseObject({}));
    expect(JSON.stringify(result)).toContain("by its host");
    await client.close();
  });

  test("of 2026-07-28 takes no task, also where its host says that it does", async () => {
    const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
    const client = new ClientOfV2({ name: "tasks", version: "1" }, { capabilities, versionNegotiation: { mode: "auto" } });
    await client.connect(transport());
    await expect(client.callTool(call("as a task"))).rejects.toMatchObject({ code: SdkErrorCode.UnsupportedResultType });
    await client.close();
  });
});
