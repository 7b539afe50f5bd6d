// The call of a tool that people approved last: what the next review of that tool says of it, to
// whom, and for how long.

import { runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { jsonOf } from "../../../../shared/json/json-of.ts";
import type { ToolCall } from "../../../../shared/model/subject/tool-call.ts";
import { lastCallStub } from "../../../../workers/stubs/stubs.ts";
import { approvalIn, askAbout, askApproval, deletion, nextReview } from "../../support/approvals.ts";
import { createKey, env, eventually, gateway } from "../../support/gateway.ts";
import { later, quiet, tablesIn } from "../../objects/inside.ts";
import { filledForm, pathOf, postForm, press } from "../../support/reviewer.ts";
import { idsOf } from "../../support/scope.ts";

beforeEach(() => askAbout());

let tools = 0;
const newTool = (): string => `delete_thing_${(tools += 1)}`;
const callOf = (tool: string, path: string) => ({ ...deletion, tool, arguments: { path, force: true } });

/** What is kept of approved calls. */
const kept = async (): Promise<string> =>
  JSON.stringify(
    await Promise.all((await idsOf(env.CACHE)).map((id) => runInDurableObject(env.CACHE.get(id), (_, { storage }) => tablesIn(storage)))),
  );

const decides = async (act: "approve" | "deny", change?: (fields: URLSearchParams) => void): Promise<void> => {
  expect((await press((await nextReview()).link, act, change)).status).toBe(303);
};

async function approve(tool: string, path: string, key?: string): Promise<void> {
  const asked = askApproval(callOf(tool, path), key === undefined ? {} : { key });
  await decides("approve");
  expect(await approvalIn(asked)).toMatchObject({ decision: "approved" });
  await eventually("the approved call", async () => (await kept()).includes(path));
}

/** The page of the call's review, which is denied afterwards. */
async function pageOf(call: object, key?: string): Promise<string> {
  const over = askApproval(call, key === undefined ? {} : { key });
  const { link, run } = await nextReview();
  const html = await (await gateway(pathOf(link), { key: null })).text();
  expect((await press(link, "deny")).status).toBe(303);
  await over;
  // Whatever it keeps is kept.
  await quiet(run);
  return html.replaceAll(/<style[\s\S]*?<\/style>|<[^>]*>/g, "").replaceAll(/\s+/g, " ");
}

describe("the next review of a tool", () => {
  test("says what differs from the call that was approved last, and from no other", async () => {
    const tool = newTool();
    expect(await pageOf(callOf(tool, "/tmp/zero"))).not.toContain("last approved call");
    await approve(tool, "/tmp/first");
    await approve(tool, "/tmp/second");
    expect(await pageOf(callOf(tool, "/tmp/third"))).toContain("path was /tmp/second in the last approved call.");
    // What was denied meanwhile is no approved call.
    expect(await pageOf(callOf(tool, "/tmp/second"))).toContain("The same arguments as in the last approved call.");
    expect(await pageOf(callOf(newTool(), "/tmp/fourth"))).not.toContain("last approved call");
  });

  test("compares with what a reviewer made of the call", async () => {
    const tool = newTool();
    const asked = askApproval(callOf(tool, "/tmp/asked"));
    await decides("approve", (fields) => fields.set("edit:/arguments", '{"path":"/tmp/edited","force":true}'));
    await approvalIn(asked);
    await eventually("the approved call", async () => (await kept()).includes("/tmp/edited"));
    expect(await pageOf(callOf(tool, "/tmp/asked"))).toContain("path was /tmp/edited in the last approved call.");
    expect(await kept()).not.toContain("/tmp/asked");
  });

  test("of another key, or for other people, says nothing of it", async () => {
    const tool = newTool();
    await approve(tool, "/tmp/private");
    const { key } = await createKey({ name: "another" });
    expect(await pageOf(callOf(tool, "/tmp/x"), key)).not.toContain("/tmp/private");
    await askAbout({ reviewers: ["others"] }, { reviewers: { everyone: [{ name: "Ada" }], others: [{ name: "Bo" }] } });
    expect(await pageOf(callOf(tool, "/tmp/x"))).not.toContain("/tmp/private");
    await askAbout();
    expect(await pageOf(callOf(tool, "/tmp/x"))).toContain("/tmp/private");
  });

  test("says nothing of it once content is forgotten", async () => {
    const tool = newTool();
    await approve(tool, "/tmp/brief");
    later(24 * 3_600_000 + 1_000);
    expect(await pageOf(callOf(tool, "/tmp/x"))).not.toContain("last approved call");
  });

  test("has what a rule masks masked, also where a reviewer lifted it", async () => {
    const rule = { name: "paths", when: { subject: "toolCall" }, pattern: "topsecret" };
    await askAbout({}, { redaction: { rules: [rule], mayLift: ["Ada"] } });
    const tool = newTool();
    const asked = askApproval(callOf(tool, "/tmp/topsecret/lifted"));
    const { link } = await nextReview();
    expect((await postForm(link, await filledForm(link, "approve", (fields) => fields.set("act", "lift:1")))).status).toBe(303);
    expect((await press(link, "approve")).status).toBe(303);
    expect(await approvalIn(asked)).toMatchObject({ arguments: { path: "/tmp/topsecret/lifted" } });
    await eventually("the approved call", async () => (await kept()).includes("/lifted"));
    expect(await kept()).not.toContain("topsecret");
  });
});

test("a key that is revoked has no approved calls left", async () => {
  const { id, key } = await createKey({ name: "leaver" });
  await approve(newTool(), "/tmp/leaver", key);
  await env.KEY.getByName(id).revoke();
  expect(await kept()).not.toContain("/tmp/leaver");
});

test("a call that is kept late takes the place of no later one", async () => {
  const { id } = await createKey({ name: "late" });
  const stub = lastCallStub(env, { key: id, server: "files", tool: "late", deciders: "" });
  const call = (path: string) => jsonOf<ToolCall>({ kind: "toolCall", server: "files", tool: "late", arguments: { path } });
  const now = Date.now();
  await stub.put(id, call("/tmp/later"), now, 60_000);
  await stub.put(id, call("/tmp/earlier"), now - 1, 60_000);
  expect((await stub.get())?.text).toContain("/tmp/later");
});
