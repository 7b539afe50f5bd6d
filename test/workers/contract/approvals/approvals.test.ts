// POST /approvals: a person decides about a call that its sender makes itself, later and once.

import { beforeEach, describe, expect, test } from "vitest";
import { approvalIn, askAbout, askApproval, deletion, resume } from "../../support/approvals.ts";
import {
  type PostOptions,
  admin,
  adminToken,
  createKey,
  devKey,
  eventually,
  gateway,
  gatewayWith,
  jsonBody,
  model,
  notices,
  openNotice,
  rpc,
  runOf,
  travel,
} from "../../support/gateway.ts";
import { quiet } from "../../objects/inside.ts";
import { allowing, grantList } from "../../support/grants.ts";
import { promptMarker } from "../../support/logs.ts";
import { recordLines } from "../../support/record.ts";
import { decide, press, tokenOf } from "../../support/reviewer.ts";
import { readForm } from "../../../../scripts/page-form.ts";
import { Stream, framesOf, isComment, messageOf } from "../../support/stream.ts";

beforeEach(() => askAbout());

const kindsOf = async (run: string | undefined): Promise<string[]> =>
  eventually("the record", async () => {
    const kinds = (await recordLines({ run: run ?? "" })).map(({ fact }) => fact.kind);
    return kinds.includes("finished") ? kinds : null;
  });

const noticeBeside = (...runs: readonly string[]) =>
  eventually("a review of its own", async () => (await notices()).find(({ run }) => !runs.includes(run)));

const withdraw = async (id: string, more: PostOptions = {}): Promise<number> =>
  (await gateway("/approvals", { method: "DELETE", headers: { "Idempotency-Key": id }, ...more })).status;

describe("a request that its sender withdraws", () => {
  test("has nobody decide, and tells so where the sender still waits", async () => {
    const asked = askApproval(deletion, { id: "withdrawn-1" });
    const { run } = await openNotice("request");
    const { key } = await createKey();
    expect([await withdraw("withdrawn-1", { key }), await withdraw("withdrawn-2"), await withdraw("")]).toEqual([404, 404, 400]);
    expect(await withdraw("withdrawn-1")).toBe(204);
    expect(await approvalIn(asked)).toMatchObject({ id: run, decision: "cancelled" });
    expect(await kindsOf(run)).toContain("cancelled");
    expect(await withdraw("withdrawn-1")).toBe(404);
  });

  test("is withdrawn also once it was approved, while its result is awaited", async () => {
    await askAbout({ response: "review" });
    const asked = askApproval({ ...deletion, returnsResult: true }, { id: "withdrawn-3" });
    await decide("request", "approve");
    const { id } = await approvalIn(asked);
    expect(await withdraw("withdrawn-3")).toBe(204);
    expect(await kindsOf(id)).toContain("cancelled");
  });

  test("leaves the same call of another request waiting", async () => {
    const leaving = new AbortController();
    void askApproval(deletion, { id: "withdrawn-4", signal: leaving.signal }).catch(() => {});
    const { run } = await openNotice("request");
    leaving.abort();
    const again = eventually("the same review", async () => {
      const answer = await approvalIn(askApproval(deletion, { id: "withdrawn-5" }));
      return answer.id === run ? answer : null;
    });
    await eventually("the second request", async () => ((await adoptionsOf(run)) > 0 ? true : null));
    expect(await withdraw("withdrawn-4")).toBe(204);
    await decide("request", "approve");
    expect(await again).toMatchObject({ decision: "approved" });
  });
});

const adoptionsOf = async (run: string): Promise<number> =>
  (await recordLines({ run })).filter(({ fact }) => fact.kind === "adopted").length;

describe("a call that a rule has people decide about", () => {
  test("is approved with the arguments that were shown, and the record has no call", async () => {
    const asked = askApproval();
    await decide("request", "approve");
    const answer = await approvalIn(asked);
    expect(answer).toEqual({
      id: expect.stringMatching(/^run_/),
      decision: "approved",
      mode: "human",
      arguments: deletion.arguments,
      edited: false,
      receipt: expect.any(String) as string,
    });
    expect((await kindsOf(answer.id)).filter((kind) => kind !== "noticed")).toEqual([
      "received",
      "reviewOpened",
      "opened",
      "approved",
      "finished",
    ]);
    expect(model.calls).toEqual([]);
  });

  test("is approved with what the reviewer changed", async () => {
    const asked = askApproval();
    await decide("request", "approve", undefined, (fields) => fields.set("edit:/arguments", '{"path":"/tmp/report.txt","force":false}'));
    expect(await approvalIn(asked)).toMatchObject({
      decision: "approved",
      arguments: { path: "/tmp/report.txt", force: false },
      edited: true,
    });
  });

  test("is approved with another alternative, and not with one whose fields the page did not have", async () => {
    const way = (kind: string, more: object) => ({ type: "object", required: ["kind"], properties: { kind: { const: kind }, ...more } });
    const schema = {
      type: "object",
      properties: { to: { oneOf: [way("mail", { at: { type: "string" } }), way("sms", { number: { type: "integer", default: 7 } })] } },
    };
    const asked = askApproval({ ...deletion, schema, arguments: { to: { kind: "mail", at: "ann@example.com" } } });
    const { link } = await openNotice("request");
    const choosing = (more: Readonly<Record<string, string>>) => (fields: URLSearchParams) => {
      for (const [name, value] of Object.entries({ "edit:/arguments/to~.as": "1", shown: "live", ...more })) fields.set(name, value);
    };
    expect((await press(link, "approve", choosing({ act: "approve:1" }))).status).toBe(409);
    const drawn = readForm(await (await press(link, "preview", choosing({}))).text(), link)?.fields;
    expect(drawn?.get("edit:/arguments/to~.as1/number")).toBe("7");
    const edited = (fields: URLSearchParams): void => {
      for (const [name, value] of drawn ?? []) if (name.startsWith("edit:")) fields.set(name, value);
      choosing({ act: "approve:1", "edit:/arguments/to~.as1/number": "8" })(fields);
    };
    expect((await press(link, "approve", edited)).status).toBe(303);
    expect(await approvalIn(asked)).toMatchObject({ decision: "approved", arguments: { to: { kind: "sms", number: 8 } }, edited: true });
  });

  test("is not approved with a number of the reviewer's that parsers round", async () => {
    const asked = askApproval({ ...deletion, arguments: { n: 1 } });
    await decide("request", "approve", undefined, (fields) => fields.set("edit:/arguments", '{"n":9007199254740993}'));
    const answer = await approvalIn(asked);
    expect(answer).toMatchObject({ decision: "failed", message: expect.stringContaining("round") });
    expect(answer).not.toHaveProperty("arguments");
  });

  test("is denied with the reviewer's reason, where the policy lets it be told", async () => {
    const asked = askApproval();
    await decide("request", "deny", undefined, (fields) => fields.set("reason", "not on a Friday"));
    const answer = await approvalIn(asked);
    expect(answer).toMatchObject({ decision: "denied", mode: "human", reason: "not on a Friday" });
    expect(answer.message).toContain("denied");
    expect(answer).not.toHaveProperty("arguments");
    await askAbout({ tellReason: false });
    const again = askApproval();
    await decide("request", "deny", undefined, (fields) => fields.set("reason", "not on a Friday"));
    expect(JSON.stringify(await approvalIn(again))).not.toContain("Friday");
  });

  test("expires, which is no denial", async () => {
    await askAbout({ deadlineSeconds: 1 });
    expect(await approvalIn(askApproval())).toMatchObject({ decision: "expired", message: expect.stringContaining("nobody declined") });
  });

  test("is cancelled where its key is revoked meanwhile", async () => {
    const made = await createKey();
    const asked = askApproval(deletion, { key: made.key });
    await openNotice("request");
    await admin(`/keys/${made.id}`, { method: "DELETE" });
    expect(await approvalIn(asked)).toMatchObject({ decision: "cancelled" });
  });

  test("is cancelled where an operator stops everything meanwhile, and refused afterwards", async () => {
    const asked = askApproval();
    await openNotice("request");
    expect((await admin("/stops/everything", { method: "PUT" })).ok).toBe(true);
    expect(await approvalIn(asked)).toMatchObject({ decision: "cancelled" });
    for (const tool of ["delete_file", "read_file"]) expect((await askApproval({ ...deletion, tool })).status).toBe(403);
    await resume();
  });
});

describe("an approval that is asked for again", () => {
  test("is none while an operator has stopped such calls, by the same request or its run", async () => {
    const asked = askApproval(deletion, { id: "stopped-since" });
    await decide("request", "approve");
    const { id, decision } = await approvalIn(asked);
    expect(decision).toBe("approved");
    const byPolicy = () => askApproval({ ...deletion, tool: "read_file" }, { id: "stopped-since-too" });
    expect(await approvalIn(byPolicy())).toMatchObject({ decision: "approved" });
    const { result: asRead } = await (await gateway(`/runs/${id}`)).json<{ result: object }>();
    expect(asRead).toMatchObject({ decision: "approved" });
    expect((await admin("/stops/everything", { method: "PUT" })).ok).toBe(true);
    for (const again of [askApproval(deletion, { id: "stopped-since" }), byPolicy()]) {
      const response = await again;
      expect(response.status).toBe(403);
      expect(await response.text()).not.toContain("approved");
    }
    const { result } = await (await gateway(`/runs/${id}`)).json<{ result: object }>();
    expect(result).toMatchObject({ decision: "failed", message: expect.stringContaining("stopped") });
    expect(result).not.toHaveProperty("arguments");
    await resume();
    expect(await approvalIn(askApproval(deletion, { id: "stopped-since" }))).toMatchObject({ id, decision: "approved" });
  });
});

describe("a call that nobody is asked about", () => {
  test("is approved at once by policy, with a line in the record", async () => {
    const answer = await approvalIn(askApproval({ ...deletion, tool: "read_file" }));
    expect(answer).toMatchObject({ decision: "approved", mode: "policy", arguments: deletion.arguments, edited: false });
    expect(await kindsOf(answer.id)).toEqual(["received", "finished"]);
    expect(await notices()).toEqual([]);
  });

  test("is denied by policy", async () => {
    const response = await askApproval({ ...deletion, tool: "drop_table" });
    expect(response.status).toBe(200);
    expect(await approvalIn(response)).toEqual({ decision: "denied", mode: "policy", message: "The policy does not allow this call." });
  });

  test("is approved by a grant that a person gave before", async () => {
    await askAbout({ grants: true });
    const asked = askApproval();
    await press((await openNotice("request")).link, "approve", allowing("tool:exact"));
    await asked;
    await eventually("the grant", async () => (await grantList()).length === 1);
    const again = await approvalIn(askApproval());
    expect(again).toMatchObject({ decision: "approved", mode: "grant" });
  });

  test("is refused where the key is not for its server", async () => {
    const { key } = await createKey({ servers: ["notes"] });
    expect(await approvalIn(askApproval(deletion, { key }))).toMatchObject({ decision: "denied", mode: "policy" });
  });
});

describe("a caller that leaves", () => {
  const leaving = async (): Promise<string> => {
    const left = new AbortController();
    const response = await gatewayWith({ HEARTBEAT_SECONDS: "1" }, "/approvals", { ...jsonBody("POST", deletion), signal: left.signal });
    const { run } = await openNotice("request");
    await response.body?.cancel();
    left.abort();
    await eventually("the caller has left", async () => (await recordLines({ run })).some(({ fact }) => fact.kind === "requestorLeft"));
    return run;
  };

  test("changes nothing, and gets the decision when it asks again, once", async () => {
    const run = await leaving();
    await decide("request", "approve", run);
    expect(await approvalIn(askApproval())).toMatchObject({ id: run, decision: "approved" });
    const next = askApproval();
    await decide("request", "deny", (await noticeBeside(run)).run);
    expect(await approvalIn(next)).toMatchObject({ decision: "denied" });
  });

  test("is told of a denial once, and the person is not asked again before", async () => {
    const run = await leaving();
    await decide("request", "deny", run);
    expect(await approvalIn(askApproval())).toMatchObject({ id: run, decision: "denied" });
    const next = askApproval();
    await decide("request", "approve", (await noticeBeside(run)).run);
    await next;
  });

  test("waits for the review that is open when it asks again", async () => {
    const run = await leaving();
    const again = askApproval();
    await decide("request", "approve", run);
    expect(await approvalIn(again)).toMatchObject({ id: run, decision: "approved" });
    expect(new Set((await notices()).map((notice) => notice.run))).toEqual(new Set([run]));
  });

  test("gets no decision about other arguments, of another tool, or with another definition", async () => {
    const run = await leaving();
    await decide("request", "approve", run);
    const seen = [run];
    for (const other of [
      { ...deletion, arguments: { ...deletion.arguments, path: "/" } },
      { ...deletion, tool: "delete_folder" },
      { ...deletion, server: "other" },
      { ...deletion, description: "Deletes nothing" },
    ]) {
      const asked = askApproval(other);
      const opened = await noticeBeside(...seen);
      seen.push(opened.run);
      await decide("request", "deny", opened.run);
      expect(await approvalIn(asked)).toMatchObject({ decision: "denied" });
    }
    expect(await approvalIn(askApproval())).toMatchObject({ id: run, decision: "approved" });
  });

  test("gets nothing after an hour", async () => {
    const run = await leaving();
    await decide("request", "approve", run);
    await quiet(run);
    travel(3_601_000);
    const asked = askApproval();
    await decide("request", "deny", (await noticeBeside(run)).run);
    await asked;
  });
});

describe("a repeat with the same Idempotency-Key", () => {
  test("gets the same decision, during the review and after it", async () => {
    const [first, second] = [askApproval(deletion, { id: "a" }), askApproval(deletion, { id: "a" })];
    await decide("request", "approve");
    // Each receipt has a signature of its own.
    const { receipt: _, ...answer } = await approvalIn(first);
    expect(await approvalIn(second)).toMatchObject(answer);
    expect(await approvalIn(askApproval(deletion, { id: "a" }))).toMatchObject(answer);
    expect(await notices()).toHaveLength(1);
  });

  test("gets the same answer where nobody is asked", async () => {
    const open = { ...deletion, tool: "read_file" };
    const answer = await approvalIn(askApproval(open, { id: "a" }));
    expect(await approvalIn(askApproval(open, { id: "a" }))).toEqual(answer);
  });

  test("is refused with another call", async () => {
    await askApproval({ ...deletion, tool: "read_file" }, { id: "a" });
    expect((await askApproval({ ...deletion, tool: "read_files" }, { id: "a" })).status).toBe(409);
    expect((await askApproval(deletion, { id: "ä" })).status).toBe(400);
  });

  test("is another request of another key", async () => {
    const { key } = await createKey();
    const open = { ...deletion, tool: "read_file" };
    const answer = await approvalIn(askApproval(open, { id: "a" }));
    expect((await approvalIn(askApproval(open, { id: "a", key }))).id).not.toBe(answer.id);
  });
});

describe("the wait", () => {
  test("is white space before one JSON value", async () => {
    const stream = new Stream(await gatewayWith({ HEARTBEAT_SECONDS: "1" }, "/approvals", jsonBody("POST", deletion)));
    expect(await stream.next()).toBe(" ");
    expect(await stream.next()).toBe(" ");
    await decide("request", "approve");
    await stream.rest();
    expect(JSON.parse(stream.text)).toMatchObject({ decision: "approved" });
  });

  test.each(["delete_file", "read_file"])("is comments before one event, where events are asked for (%s)", async (tool) => {
    const response = await askApproval({ ...deletion, tool }, { headers: { Accept: "text/event-stream" } });
    expect(response.headers.get("Content-Type")).toBe("text/event-stream");
    if (tool === "delete_file") await decide("request", "approve");
    const frames = framesOf(await response.text());
    expect(frames.slice(0, -1).every(isComment)).toBe(true);
    expect(messageOf(frames.at(-1))).toMatchObject({ decision: "approved" });
  });

  test("is left out with Prefer: respond-async, and GET /runs/{id} has the answer", async () => {
    const response = await askApproval(deletion, { headers: { Prefer: "respond-async" } });
    expect(response.status).toBe(202);
    expect(response.headers.get("Preference-Applied")).toBe("respond-async");
    const { id } = await response.json<{ id: string }>();
    expect(response.headers.get("Location")).toBe(`/runs/${id}`);
    expect(await runOf(id)).toMatchObject({ status: "working", server: "files", name: "delete_file" });
    await decide("request", "approve", id);
    const ended = await eventually("the answer", async () => {
      const run = await runOf(id);
      return run.result === undefined ? null : run;
    });
    expect(ended).toMatchObject({ status: "completed", result: { id, decision: "approved", arguments: deletion.arguments } });
    // It is no task of the endpoint for sampling.
    const { error } = await (await rpc("tasks/result", { taskId: id })).json<{ error?: { code: number } }>();
    expect(error?.code).toBe(-32_602);
  });

  test("can be cancelled by its key", async () => {
    const response = await askApproval(deletion, { headers: { Prefer: "respond-async" } });
    const { id } = await response.json<{ id: string }>();
    expect((await gateway(`/runs/${id}`, { method: "DELETE" })).status).toBe(204);
    const ended = await eventually("the answer", async () => {
      const run = await runOf(id);
      return run.result === undefined ? null : run;
    });
    expect(ended).toMatchObject({ result: { decision: "cancelled" } });
  });
});

describe("what is refused", () => {
  test.each([
    ["no JSON", "{", 400, ""],
    ["no tool", { arguments: {} }, 400, "/tool"],
    ["no arguments", { tool: "x" }, 400, "/arguments"],
    ["arguments that are no object", { tool: "x", arguments: [] }, 400, "/arguments"],
    ["another member", { ...deletion, approve: true }, 400, ""],
    ["a callback", { ...deletion, callback: "https://example.com" }, 400, ""],
    ["a reserved server", { ...deletion, server: "control" }, 400, "/server"],
    ["a name that reads backwards", { ...deletion, tool: "read_\u202efile" }, 400, "/tool"],
    ["a member twice", '{"tool":"read","arguments":{"path":"/tmp","path":"/"}}', 400, "/arguments/path"],
    ["a member twice, in another spelling", '{"tool":"read","arguments":{"path":"/tmp","p\\u0061th":"/"}}', 400, "/arguments/path"],
    ["the arguments twice", '{"tool":"read","arguments":{},"arguments":{"path":"/"}}', 400, "/arguments"],
    ["a number that is rounded", '{"tool":"read","arguments":{"list":[1,9007199254740993]}}', 400, "/arguments/list/1"],
    ["a number that is too large", '{"tool":"read","arguments":{"n":1e400}}', 400, "/arguments/n"],
    ["a prototype", '{"tool":"read","arguments":{"__proto__":{"a":1}}}', 400, "/arguments"],
    ["half a character", '{"tool":"read","arguments":{"a":"\\ud800"}}', 400, "/arguments/a"],
  ])("is %s", async (_, body, status, pointer) => {
    const response = await askApproval(body);
    expect(response.status).toBe(status);
    const { error } = await response.json<{ error: { data?: { errors: { pointer: string }[] } } }>();
    if (pointer !== "") expect(error.data?.errors[0]?.pointer).toBe(pointer);
    expect(await notices()).toEqual([]);
  });

  test("are wrong keys, and keys for other endpoints", async () => {
    expect((await askApproval(deletion, { key: "csk_wrong" })).status).toBe(401);
    const { key } = await createKey({ scopes: ["control"] });
    expect((await askApproval(deletion, { key })).status).toBe(403);
  });

  test("is what is over a limit of the key", async () => {
    const { key } = await createKey({ limits: { requestsPerMinute: 1, bodyBytes: 2_000 } });
    const open = { ...deletion, tool: "read_file" };
    expect((await askApproval(open, { key })).status).toBe(200);
    expect((await askApproval(open, { key })).status).toBe(429);
    expect((await askApproval({ ...open, arguments: { text: "x".repeat(2_000) } }, { key })).status).toBe(413);
  });
});

describe("nothing of the review reaches the caller", () => {
  test("no link, no token and no nonce is in the answer or in the run, and the key opens no page", async () => {
    const response = await askApproval(deletion, { headers: { Prefer: "respond-async" } });
    const first = await response.text();
    const { run, link } = await openNotice("request");
    const waiting = await (await gateway(`/runs/${run}`)).text();
    for (const text of [first, waiting, JSON.stringify([...response.headers])]) {
      expect(text).not.toContain(tokenOf(link));
      expect(text).not.toMatch(/\/r\/|nonce|inbox/);
    }
    for (const path of [`/inbox/reviews/request/${run}`, "/admin/notices", `/admin/runs/${run}`, "/inbox"]) {
      const page = await gateway(path, { key: devKey });
      expect([path, page.status === 200 && (await page.text()).includes("/tmp/report.txt")]).toEqual([path, false]);
    }
    for (const path of [`/inbox/reviews/request/${run}`, `/runs/${run}`, "/approvals"]) {
      const decided = await gateway(path, { ...jsonBody("POST", { act: "approve", decision: "approved", run }), key: devKey });
      expect([path, decided.ok]).toEqual([path, false]);
    }
    expect(await runOf(run)).toMatchObject({ status: "working" });
    // Not even the operator decides through the run.
    expect((await gateway(`/runs/${run}`, { method: "PUT", key: adminToken })).ok).toBe(false);
  });

  test("leaves nothing of the arguments in the record", async () => {
    const asked = askApproval({ ...deletion, arguments: { text: promptMarker } });
    await decide("request", "approve");
    const { id } = await approvalIn(asked);
    await kindsOf(id);
    expect(JSON.stringify(await recordLines())).not.toContain(promptMarker);
  });

  test("a megabyte of arguments comes back as it came", async () => {
    const text = `${"x".repeat(1_048_576)} é 漢 \u{1f600}`;
    const asked = askApproval({ ...deletion, arguments: { text } });
    await decide("request", "approve");
    expect(await approvalIn(asked)).toMatchObject({ decision: "approved", arguments: { text } });
  });
});
