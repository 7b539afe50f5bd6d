// A reviewer denies a call and stops its tool: later calls of the session are refused, those that
// wait are cancelled, and the reviewer or an operator lets them go on.

import { beforeEach, describe, expect, test, vi } from "vitest";
import { asObject, recordWith, ringAlarm } from "../../objects/inside.ts";
import { stopsKnownMs } from "../../../../workers/stubs/stop-calls.ts";
import { stopStub } from "../../../../workers/stubs/stubs.ts";
import { approvalIn, askAbout, askApproval, deletion, hookInput, nextReview, postHook } from "../../support/approvals.ts";
import {
  admin,
  adminJson,
  configure,
  createKey,
  env,
  errorOf,
  eventually,
  gateway,
  gatewayWith,
  policy,
  travel,
} from "../../support/gateway.ts";
import { RelayClient, configureServers, scriptUpstream, upstreamOrigin } from "../../support/mcp-server.ts";
import { filledForm, pathOf, postForm } from "../../support/reviewer.ts";
import { answerWith, lastOf } from "../../support/stateless.ts";

let tests = 0;
let id: string;
let key: string;
beforeEach(async () => {
  // Later than the test before: what this isolate was told in it counts no longer.
  tests += 1;
  travel(tests * 60_000);
  ({ id, key } = await createKey({ name: `key ${tests}` }));
  await askAbout();
});

const pressing = (act: string) => (fields: URLSearchParams) => fields.set("act", act);
const act = async (link: string, value: string): Promise<void> => {
  expect((await postForm(link, await filledForm(link, "deny", pressing(value)))).status).toBe(303);
};
const pageOf = async (link: string): Promise<string> =>
  (await (await gateway(pathOf(link), { key: null })).text()).replaceAll(/<[^>]*>/g, "").replaceAll(/\s+/g, " ");
type Listed = {
  readonly stops: readonly {
    readonly id: string;
    readonly scope: string;
    readonly key: string;
    readonly tool: string;
    readonly of: string;
    readonly by: string;
  }[];
};
const listed = async (): Promise<Listed["stops"]> =>
  (await adminJson<Listed>("/stops")).stops.filter((each) => each.scope === "tool" && each.key === id);
const bash = {
  ...policy,
  rules: [{ name: "bash", when: { subject: "toolCall", tool: "Bash" }, then: { request: "review", selfApproval: true } }],
};
type Hooked = { readonly hookSpecificOutput: { readonly permissionDecision: string; readonly permissionDecisionReason: string } };
const hooked = async (session: string, command: string): Promise<string> => {
  const { hookSpecificOutput: said } = await (
    await postHook(hookInput(command, { session_id: session, tool_use_id: `toolu_${crypto.randomUUID()}` }), { key })
  ).json<Hooked>();
  return `${said.permissionDecision}: ${said.permissionDecisionReason}`;
};

describe("a call of a session that is denied with a stop", () => {
  test("is the last of its tool that is asked about in it; another session goes on", async () => {
    await configure("policy", bash);
    const first = hooked("one", "rm a");
    const { link, run } = await nextReview();
    expect(await pageOf(link)).toContain("Deny, and stop this tool for the session");
    await act(link, "denyStop");
    expect(await first).toMatch(/^deny:/);
    expect(await hooked("one", "rm b")).toMatch(/^deny: .*A reviewer has stopped the calls of this tool/);
    const other = hooked("two", "rm b");
    const second = await nextReview();
    await act(second.link, "deny");
    expect(await other).not.toContain("stopped");
    expect(await listed()).toMatchObject([{ tool: "Bash", of: "session", by: "Ada" }]);
    const facts = (await recordWith(run, "toolStopped")).map(({ fact }) => fact);
    expect(facts.filter(({ kind }) => kind === "toolStopped")).toMatchObject([{ by: "Ada", tool: "Bash", reach: "session" }]);
  });

  test("goes on where its reviewer lets it, once more where they do so twice", async () => {
    await configure("policy", bash);
    const first = hooked("mine", "rm a");
    const { link } = await nextReview();
    await act(link, "denyStop");
    await first;
    expect(await pageOf(link)).toContain("You stopped Bash");
    const form = await filledForm(link, "deny", pressing("undoStop"));
    expect([(await postForm(link, form)).status, (await postForm(link, form)).status]).toEqual([303, 303]);
    await eventually("the end of the stop", async () => (await listed()).length === 0);
    expect(await pageOf(link)).toContain("Calls go on as the policy says");
    travel(2_000);
    const next = hooked("mine", "rm b");
    await act((await nextReview()).link, "deny");
    expect(await next).not.toContain("stopped");
  });
});

describe("a call without a session that is denied with a stop", () => {
  test("stops the tool for its key, for an hour", async () => {
    const first = askApproval(deletion, { key });
    const { link } = await nextReview();
    expect(await pageOf(link)).toContain("Deny, and stop this tool for an hour");
    await act(link, "denyStop");
    expect(await approvalIn(first)).toMatchObject({ decision: "denied" });
    const refused = await errorOf(askApproval({ ...deletion, arguments: { path: "/tmp/other" } }, { key }));
    expect(refused).toMatchObject({ data: { outcome: "refused", stopped: "tool" } });
    // Another tool, another key.
    expect(await approvalIn(askApproval({ ...deletion, tool: "read_file" }, { key }))).toMatchObject({ decision: "approved" });
    const { key: another } = await createKey({ name: "another" });
    const beyond = askApproval(deletion, { key: another });
    await act((await nextReview()).link, "approve:0");
    expect(await approvalIn(beyond)).toMatchObject({ decision: "approved" });
    travel(3_600_000);
    const late = askApproval(deletion, { key });
    await act((await nextReview()).link, "approve:0");
    expect(await approvalIn(late)).toMatchObject({ decision: "approved" });
  });

  test("cancels the calls of the tool that wait, and no others", async () => {
    const first = askApproval(deletion, { key });
    const one = await nextReview();
    // Its answer, not the response alone: that begins with white space where a call waits for long.
    const waiting = approvalIn(askApproval({ ...deletion, arguments: { path: "/tmp/waits" } }, { key }));
    await nextReview();
    const other = askApproval({ ...deletion, tool: "delete_other" }, { key });
    const three = await nextReview();
    await act(one.link, "denyStop");
    await first;
    await eventually("the cancellation", async () => {
      await ringAlarm(asObject(stopStub(env, 0)));
      return (await Promise.race([waiting, Promise.resolve(null)])) !== null;
    });
    expect(await waiting).toMatchObject({ decision: "cancelled" });
    await act(three.link, "approve:0");
    expect(await approvalIn(other)).toMatchObject({ decision: "approved" });
  });

  test("goes on where an operator takes the stop back", async () => {
    const first = askApproval(deletion, { key });
    await act((await nextReview()).link, "denyStop");
    await first;
    const [stop] = await listed();
    expect((await admin(`/stops/tools/${stop?.id}`, { method: "DELETE" })).status).toBe(204);
    expect((await admin(`/stops/tools/${stop?.id}`, { method: "DELETE" })).status).toBe(404);
    travel(2_000);
    const next = askApproval(deletion, { key });
    await act((await nextReview()).link, "approve:0");
    expect(await approvalIn(next)).toMatchObject({ decision: "approved" });
  });
});

test("at the relay a stop is for calls that no rule asks about as well", async () => {
  const upstream = scriptUpstream();
  upstream.answer = (call) =>
    call.message.method === "tools/call" ? answerWith(call, { content: [{ type: "text", text: "done" }] }) : undefined;
  await configureServers({ old: { url: `${upstreamOrigin}/mcp` } });
  const rule = { subject: "toolCall", tool: "rm", arguments: [{ pointer: "/path", glob: "/etc/*" }] };
  await configure("policy", { ...policy, rules: [{ name: "etc", when: rule, then: { request: "review", selfApproval: true } }] });
  const client = new RelayClient("old", { key, send: (path, init) => gatewayWith({}, path, init) });
  await client.connect();
  const call = async (id: number, path: string): Promise<string> =>
    JSON.stringify(await lastOf(await client.request(id, "tools/call", { name: "rm", arguments: { path } })));
  expect(await call(1, "/tmp/a")).toContain("done");
  const asked = call(2, "/etc/passwd");
  const timers = vi.spyOn(globalThis, "setTimeout");
  await act((await nextReview()).link, "denyStop");
  expect(await asked).toContain("A person declined this call");
  // On a slow machine this isolate has forgotten what it knew before the stop by itself.
  expect(timers).toHaveBeenCalledWith(expect.any(Function), stopsKnownMs);
  expect(await call(3, "/tmp/a")).toContain("A person has stopped the calls of this tool");
  expect(upstream.calls.filter(({ message }) => message.method === "tools/call")).toHaveLength(1);
});
