// A call as a task by the client of the SDK 1.x, which has them as an experiment: it learns of them
// from the relay, polls, and gets the result of what a person approved. The server has no tasks.

import { afterAll, beforeAll, expect, test } from "vitest";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
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
