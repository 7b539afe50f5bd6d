// POST /approvals/{id}/result: what an approved call returned is brought to the rule about it, and
// nothing of it is delivered before.

import { beforeEach, describe, expect, test } from "vitest";
import type { ApprovalAnswer } from "../../../../shared/wire/approvals/approval-answer.ts";
import { kindsOf, recordWith, ringNextAlarm, stubOf } from "../../objects/inside.ts";
import { approvalIn, askAbout, askApproval, deletion } from "../../support/approvals.ts";
import { createKey, gateway, notices, travel } from "../../support/gateway.ts";
import { decide } from "../../support/reviewer.ts";

const returning = { ...deletion, returnsResult: true };
const secret = { content: [{ type: "text", text: "the key is sk-abcdef" }] };
const keys = { redaction: { rules: [{ name: "keys", when: { subject: "toolCall" }, pattern: "sk-[a-z]+" }] } };
const allowed = { request: "allow", response: "review" };

type Delivery = { readonly id: string; readonly decision: ApprovalAnswer["decision"]; readonly result: Result };
type Result = { readonly content: readonly { readonly text: string }[]; readonly isError?: boolean };

const post = (id: string | undefined, result: object = secret, more: { readonly key?: string } = {}): Promise<Response> =>
  gateway(`/approvals/${id ?? ""}/result`, {
    method: "POST",
    body: JSON.stringify({ result }),
    headers: { "Content-Type": "application/json" },
    ...more,
  });
const bring = async (id: string | undefined, result: object = secret): Promise<Delivery> => (await post(id, result)).json<Delivery>();
const textIn = ({ result }: Delivery): string => result.content.map(({ text }) => text).join("\n");

beforeEach(() => askAbout({ response: "review" }));

describe("what an approved call returned", () => {
  test("is delivered as a person released it, and the record has the call", async () => {
    const asked = askApproval(returning);
    await decide("request", "approve");
    const approval = await approvalIn(asked);
    expect(approval).toMatchObject({ decision: "approved", mode: "human", arguments: deletion.arguments, returnsResult: true });
    expect(approval.receipt).toBeDefined();
    const delivery = bring(approval.id);
    await decide("response", "approve", undefined, (fields) => fields.set("edit:/content/0/text", "the key is hidden"));
    expect(await delivery).toMatchObject({ id: approval.id, decision: "approved", result: { content: [{ text: "the key is hidden" }] } });
    const kinds = kindsOf(await recordWith(approval.id ?? "", "finished"));
    expect(kinds.filter((kind) => kind === "called" || kind === "answered")).toEqual(["called", "answered"]);
  });

  test("is not delivered where a person denies it", async () => {
    await askAbout(allowed);
    const { id, mode } = await approvalIn(askApproval(returning));
    expect(mode).toBe("policy");
    const delivery = bring(id);
    await decide("response", "deny");
    const said = await delivery;
    expect([said.decision, said.result.isError]).toEqual(["denied", true]);
    expect(textIn(said)).toContain("declined to release its result");
    expect(JSON.stringify(said)).not.toContain("sk-abcdef");
  });

  test("is masked by the policy's rules, where nobody is asked", async () => {
    await askAbout({}, keys);
    const approval = await approvalIn(askApproval({ ...returning, tool: "read_file" }));
    expect(approval).toMatchObject({ decision: "approved", mode: "policy", returnsResult: true });
    const said = await bring(approval.id);
    expect(said.decision).toBe("approved");
    expect(textIn(said)).toMatch(/^the key is (?!sk-abcdef)/);
  });

  test("stays with its caller where no rule is about it, or its caller does not bring it", async () => {
    await askAbout();
    expect(await approvalIn(askApproval({ ...returning, tool: "read_file" }))).not.toHaveProperty("returnsResult");
    await askAbout(allowed);
    const { id, ...approval } = await approvalIn(askApproval(deletion));
    expect(approval).not.toHaveProperty("returnsResult");
    expect((await post(id)).status).toBe(404);
  });

  test("is of no task: nobody is asked where a rule is about it, and its caller is told to go without", async () => {
    const task = { ...deletion, asTask: true };
    const said = await approvalIn(askApproval(task));
    expect(said).toMatchObject({ decision: "denied", mode: "policy", message: expect.stringContaining("call it without one") });
    expect(await notices()).toEqual([]);
    await askAbout({ response: "allow" });
    const asked = askApproval(task);
    await decide("request", "approve");
    expect(await approvalIn(asked)).toMatchObject({ decision: "approved", mode: "human" });
  });

  test.each([
    ["asks for more", { resultType: "input_required", inputRequests: {} }],
    ["is a task", { task: { taskId: "t", status: "working" } }],
    ["is none of MCP's", { content: "sk-abcdef" }],
  ])("is not delivered where it %s", async (_, result) => {
    await askAbout(allowed);
    const { id } = await approvalIn(askApproval(returning));
    const said = await bring(id, result);
    expect([said.decision, said.result.isError]).toEqual(["failed", true]);
    expect(JSON.stringify(said)).not.toContain("sk-abcdef");
  });
});

describe("a result", () => {
  test("is brought once, by the key of the call", async () => {
    await askAbout({}, keys);
    const { id } = await approvalIn(askApproval({ ...returning, tool: "read_file" }));
    expect((await post(id, secret, { key: (await createKey()).key })).status).toBe(404);
    expect((await post("run_unknown")).status).toBe(404);
    const first = await bring(id, { content: [{ type: "text", text: "first" }] });
    const second = await bring(id, { content: [{ type: "text", text: "second" }] });
    expect([textIn(first), textIn(second)]).toEqual(["first", "first"]);
    expect(kindsOf(await recordWith(id ?? "", "finished")).filter((kind) => kind === "answered")).toHaveLength(1);
  });

  test("may be brought after the same request was sent again", async () => {
    await askAbout(allowed);
    const first = await approvalIn(askApproval(returning, { id: "a" }));
    const again = await approvalIn(askApproval(returning, { id: "a" }));
    expect([again.id, again.decision, again.returnsResult]).toEqual([first.id, "approved", true]);
    const delivery = bring(first.id);
    await decide("response", "approve");
    expect(textIn(await delivery)).toBe("the key is sk-abcdef");
    expect(await approvalIn(askApproval(returning, { id: "a" }))).toMatchObject({ decision: "failed" });
  });

  test("belongs to its own call: the same call, asked about meanwhile, is another one", async () => {
    await askAbout(allowed);
    const [one, other] = [await approvalIn(askApproval(returning)), await approvalIn(askApproval(returning))];
    expect(one.id).not.toBe(other.id);
    expect([one.decision, other.decision]).toEqual(["approved", "approved"]);
  });

  test("has its deadline as any review: nobody declined it", async () => {
    await askAbout({ ...allowed, deadlineSeconds: 1 });
    const { id } = await approvalIn(askApproval(returning));
    const said = await bring(id);
    expect([said.decision, said.result.isError]).toEqual(["expired", true]);
    expect(textIn(said)).toContain("nobody decided about its result in time");
  });

  test("that nobody brings within an hour is unknown, and is not taken any more", async () => {
    await askAbout(allowed);
    const { id = "" } = await approvalIn(askApproval(returning));
    travel(3_600_001);
    await ringNextAlarm(stubOf(id));
    const failed = (await recordWith(id, "finished")).find(({ fact }) => fact.kind === "callFailed");
    expect(JSON.stringify(failed)).toContain("outcomeUnknown");
    const said = await bring(id);
    expect([said.decision, said.result.isError]).toEqual(["failed", true]);
    expect(textIn(said)).toContain("may have run or not");
    expect(await notices()).toEqual([]);
  });

  test("is brought on a connection alone", async () => {
    expect((await askApproval(returning, { headers: { Prefer: "respond-async" } })).status).toBe(400);
  });
});
