// POST /hooks/claude-code: what Claude Code's PreToolUse hook is told, and that no error lets a
// call through.

import { beforeEach, describe, expect, test } from "vitest";
import { quiet, recordWith } from "../../objects/inside.ts";
import { approvalIn, askApproval, hookInput, postHook, resume } from "../../support/approvals.ts";
import {
  admin,
  configure,
  createKey,
  env,
  eventually,
  gateway,
  gatewayWith,
  jsonBody,
  notices,
  openNotice,
  policy,
} from "../../support/gateway.ts";
import { recordLines } from "../../support/record.ts";
import { decide, pathOf } from "../../support/reviewer.ts";
import { Stream } from "../../support/stream.ts";

/** People are asked about commands of the shell, with what `then` says. */
const askAboutBash = (then: object = {}): Promise<void> =>
  configure("policy", {
    ...policy,
    rules: [
      {
        name: "commands",
        when: { subject: "toolCall", server: "claude-code", tool: "Bash" },
        then: { request: "review", selfApproval: true, tellReason: true, ...then },
      },
      { name: "never", when: { subject: "toolCall", server: "claude-code", tool: "Write" }, then: { request: "refuse" } },
      ...policy.rules,
    ],
  });

beforeEach(() => askAboutBash());

type Output = { readonly hookSpecificOutput?: { readonly permissionDecision: string } & Record<string, unknown> };

/** What Claude Code reads: a status outside of 200 to 299 would let the call through. */
async function outputOf(response: Response | Promise<Response>): Promise<Output["hookSpecificOutput"]> {
  const answer = await response;
  expect(answer.status).toBe(200);
  const output = (await answer.json<Output>()).hookSpecificOutput;
  if (output !== undefined) expect(output).toMatchObject({ hookEventName: "PreToolUse", permissionDecisionReason: expect.any(String) });
  return output;
}

describe("a command that people decide about", () => {
  test("is allowed once it is approved, as it was asked", async () => {
    const asked = postHook(hookInput());
    await decide("request", "approve");
    expect(await outputOf(asked)).toEqual({
      hookEventName: "PreToolUse",
      permissionDecision: "allow",
      permissionDecisionReason: "Approved in Countersign",
    });
  });

  test("is shown with its directory", async () => {
    const asked = postHook(hookInput());
    const { link } = await openNotice("request");
    const page = await (await gateway(pathOf(link), { key: null })).text();
    expect(page).toContain("git push --force");
    expect(page).toContain("/home/user/my-project");
    await decide("request", "approve");
    await asked;
  });

  test("is allowed as the reviewer changed it, whole, and the model is told", async () => {
    const input = { ...hookInput().tool_input, command: "git push --force-with-lease" };
    const asked = postHook(hookInput());
    await decide("request", "approve", undefined, (fields) => fields.set("edit:/arguments", JSON.stringify(input)));
    const output = await outputOf(asked);
    expect(output).toMatchObject({ permissionDecision: "allow", updatedInput: input });
    expect(output?.["additionalContext"]).toContain("command");
  });

  test("is denied where the reviewer gave it a number that parsers round", async () => {
    const asked = postHook(hookInput());
    await decide("request", "approve", undefined, (fields) => fields.set("edit:/arguments", '{"command":"ls","timeout":9007199254740993}'));
    expect(await outputOf(asked)).toMatchObject({ permissionDecision: "deny", permissionDecisionReason: expect.stringContaining("round") });
  });

  test("is denied with the reviewer's reason", async () => {
    const asked = postHook(hookInput());
    await decide("request", "deny", undefined, (fields) => fields.set("reason", "use a branch"));
    expect(await outputOf(asked)).toMatchObject({
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringContaining("use a branch"),
    });
  });

  test("is denied where nobody decides in time, which is said to be no refusal", async () => {
    await askAboutBash({ deadlineSeconds: 1 });
    expect(await outputOf(postHook(hookInput()))).toMatchObject({
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringContaining("nobody declined"),
    });
  });

  test("is denied when the hook's wait is over, and the same command in the same session gets the decision", async () => {
    const first = await outputOf(postHook(hookInput(), { query: "?wait=1" }));
    expect(first).toMatchObject({ permissionDecision: "deny", permissionDecisionReason: expect.stringContaining("Call the tool again") });
    const { run } = await openNotice("request");
    const again = postHook(hookInput("git push --force", { tool_use_id: "toolu_02" }));
    await decide("request", "approve", run);
    expect(await outputOf(again)).toMatchObject({ permissionDecision: "allow" });
    expect(new Set((await notices()).map((notice) => notice.run))).toEqual(new Set([run]));
  });

  test.each([
    ["session", { session_id: "another" }],
    ["directory", { cwd: "/home/user/other" }],
  ])("is another command in another %s", async (_, more) => {
    await postHook(hookInput(), { query: "?wait=1" });
    const { run } = await openNotice("request");
    await recordWith(run, "requestorLeft");
    await decide("request", "approve", run);
    // From now on the same command would get the decision.
    await quiet(run);
    const other = outputOf(postHook(hookInput("git push --force", { tool_use_id: "toolu_02", ...more })));
    const opened = eventually("a review of its own", async () => (await notices()).find((notice) => notice.run !== run));
    opened.catch(() => {});
    expect(await Promise.race([other, opened.then(() => "a review of its own")])).toBe("a review of its own");
    await decide("request", "deny", (await opened).run);
    expect(await other).toMatchObject({ permissionDecision: "deny" });
  });

  test("is held with white space, so that nothing on the way gives up", async () => {
    const stream = new Stream(await gatewayWith({ HEARTBEAT_SECONDS: "1" }, "/hooks/claude-code", jsonBody("POST", hookInput())));
    expect(await stream.next()).toBe(" ");
    expect(await stream.next()).toBe(" ");
    await decide("request", "approve");
    await stream.rest();
    expect(JSON.parse(stream.text)).toMatchObject({ hookSpecificOutput: { permissionDecision: "allow" } });
  });

  test("is denied where its key is revoked meanwhile", async () => {
    const made = await createKey();
    const asked = postHook(hookInput(), { key: made.key });
    await openNotice("request");
    await admin(`/keys/${made.id}`, { method: "DELETE" });
    expect(await outputOf(asked)).toMatchObject({ permissionDecision: "deny" });
  });

  test("is no call at POST /approvals: a decision about one is none about the other", async () => {
    await postHook(hookInput(), { query: "?wait=1" });
    const { run } = await openNotice("request");
    await decide("request", "approve", run);
    const { tool_name: tool, tool_input: input } = hookInput();
    const other = askApproval({ tool, server: "claude-code", arguments: input });
    const opened = await eventually("a review of its own", async () => (await notices()).find((notice) => notice.run !== run));
    await decide("request", "deny", opened.run);
    expect(await approvalIn(other)).toMatchObject({ decision: "denied" });
  });
});

describe("a call that nobody is asked about", () => {
  test("is left to Claude Code's own permissions: no decision is an allowance", async () => {
    expect(await outputOf(postHook(hookInput("ls", { tool_name: "Read" })))).toBeUndefined();
    await eventually("the record", async () => (await recordLines()).some(({ fact }) => fact.kind === "finished"));
  });

  test("is denied by policy", async () => {
    expect(await outputOf(postHook(hookInput("x", { tool_name: "Write" })))).toMatchObject({
      permissionDecision: "deny",
      permissionDecisionReason: "The policy does not allow this call.",
    });
  });

  test("is asked about at the machine where rules masked a part of it", async () => {
    await configure("policy", {
      ...policy,
      redaction: { rules: [{ name: "tokens", when: { subject: "toolCall" }, pattern: "tok_[a-z]+" }] },
    });
    const output = await outputOf(postHook(hookInput("curl -H tok_abc", { tool_name: "Read" })));
    expect(output).toMatchObject({ permissionDecision: "ask" });
    expect(JSON.stringify(output?.["updatedInput"])).not.toContain("tok_abc");
  });
});

test.each(["PostToolUse", "SessionStart", "Stop"])("the event %s is answered with nothing", async (name) => {
  const response = await postHook(hookInput("x", { hook_event_name: name }));
  expect([response.status, await response.text()]).toEqual([200, ""]);
  expect(await notices()).toEqual([]);
});

describe("whatever goes wrong is a denial", () => {
  test.each([
    ["no JSON", "{"],
    ["no tool", hookInput("x", { tool_name: undefined })],
    ["an input that is a text", hookInput("x", { tool_input: "ls" })],
    ["no session", hookInput("x", { session_id: 7 })],
    [
      "a command twice",
      '{"hook_event_name":"PreToolUse","session_id":"a","tool_name":"Bash","tool_input":{"command":"ls","command":"rm -rf /"}}',
    ],
    ["an event twice", '{"hook_event_name":"PreToolUse","hook_event_name":"Stop","session_id":"a","tool_name":"Bash","tool_input":{}}'],
  ])("%s", async (_, body) => {
    expect(await outputOf(postHook(body))).toMatchObject({ permissionDecision: "deny" });
    expect(await notices()).toEqual([]);
  });

  test("a wrong key, and a key for another endpoint", async () => {
    expect(await outputOf(postHook(hookInput(), { key: "csk_wrong" }))).toMatchObject({ permissionDecision: "deny" });
    const { key } = await createKey({ scopes: ["control"] });
    expect(await outputOf(postHook(hookInput(), { key }))).toMatchObject({ permissionDecision: "deny" });
  });

  test("another type than JSON", async () => {
    const init = { ...jsonBody("POST", hookInput()), headers: { "Content-Type": "text/plain" } };
    expect(await outputOf(gateway("/hooks/claude-code", init))).toMatchObject({ permissionDecision: "deny" });
    expect(await notices()).toEqual([]);
  });

  test("a wait that is none", async () => {
    for (const query of ["?wait=soon", "?wait=0", "?wait=100000"])
      expect(await outputOf(postHook(hookInput(), { query }))).toMatchObject({ permissionDecision: "deny" });
  });

  test("a key that is over its limits", async () => {
    const { key } = await createKey({ limits: { requestsPerMinute: 1 } });
    const read = (id: string) => hookInput("x", { tool_name: "Read", tool_use_id: id });
    expect(await outputOf(postHook(read("1"), { key }))).toBeUndefined();
    expect(await outputOf(postHook(read("2"), { key }))).toMatchObject({ permissionDecision: "deny" });
  });

  test("an operator's stop", async () => {
    await admin("/stops/everything", { method: "PUT" });
    expect(await outputOf(postHook(hookInput("x", { tool_name: "Read" })))).toMatchObject({ permissionDecision: "deny" });
    await resume();
  });

  test("a fault of the gateway", async () => {
    const thrown = (): never => {
      throw new Error("no such object");
    };
    const faulty = { RUN: new Proxy(env.RUN, { get: thrown }) };
    const response = gatewayWith(faulty, "/hooks/claude-code", jsonBody("POST", hookInput()));
    expect(await outputOf(response)).toMatchObject({
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringContaining("Internal error"),
    });
  });
});
