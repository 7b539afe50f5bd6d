// Kill -9 of the gateway while a task's server asks its client: the question and the answers that
// the client gave are still there, nothing is asked twice, and nothing is sent twice.

import { afterAll, beforeAll, expect, test } from "vitest";
import { decideByLink } from "../../outside/support/killable-gateway.ts";
import { type OldServer, serveOld } from "../../outside/support/old-server.ts";
import { until } from "../../outside/support/raw-client.ts";
import { type StatelessAnswer, rawStateless } from "../../outside/support/raw-stateless.ts";
import { type RelayOffice, openGates, relayOffice } from "../../outside/support/relay-office.ts";

let office: RelayOffice;
let old: OldServer;
beforeAll(async () => {
  [office, old] = await Promise.all([relayOffice(), serveOld({ resumable: true })]);
  const then = { request: "review", response: "allow", reviewers: ["everyone"], selfApproval: true, deadlineSeconds: 600 };
  const rule = { name: "asked", when: { subject: "toolCall" }, then };
  await office.rule({ ...openGates, rules: [rule], reviewers: { everyone: [{ name: "Ada" }] } });
  await office.serve({ old: { url: old.url, allowPrivate: true } });
});
afterAll(async () => {
  await Promise.all([office?.close(), old?.close()]);
});

const capabilities = { elicitation: {}, extensions: { "io.modelcontextprotocol/tasks": {} } };
type Task = { taskId: string; status: string; inputRequests?: Record<string, unknown>; result?: unknown };
const taskIn = ({ message }: StatelessAnswer): Task => message.result as unknown as Task; // as the gateway's tasks are

test("a kill between the question of a server with sessions and its answer loses neither", async () => {
  const client = rawStateless(office.relay("old"), { capabilities });
  const { taskId } = taskIn(await client.call("elicit", { question: "Killed?" }));
  const { link } = await until("the review", async () => (await office.notices())[0]);
  expect((await decideByLink(link ?? "", "approve")).status).toBe(303);
  const reached = (status: string): Promise<Task> =>
    until(status, async () => {
      const task = taskIn(await client.send("tasks/get", { taskId }));
      return task.status === status ? task : undefined;
    });
  const asked = await reached("input_required");
  await office.kill();
  await office.start();
  expect((await reached("input_required")).inputRequests).toEqual(asked.inputRequests);
  const [key = ""] = Object.keys(asked.inputRequests ?? {});
  await client.send("tasks/update", { taskId, inputResponses: { [key]: { action: "accept", content: { confirm: true } } } });
  expect(JSON.stringify((await reached("completed")).result)).toContain("true");
  expect(old.runs).toEqual(["elicit"]);
  expect(old.answers).toHaveLength(1);
});
