// A call that people review and that is sent with its owner's own login: whose account they are
// shown, and that the call is sent for that account or not at all.

import { beforeEach, describe, expect, test } from "vitest";
import { type Server, parseServers } from "../../../shared/relay/servers.ts";
import { askUpstream } from "../../../workers/mcp-client/ask-upstream.ts";
import { errorMessages } from "../../../workers/endpoints/relay/relay-request.ts";
import { recordWith, ringNextAlarm, stubOf } from "../objects/inside.ts";
import { configure, env, eventually, gateway, notices, openNotice, policy, publicUrl, travel } from "../support/gateway.ts";
import { addresses } from "../support/inbox.ts";
import { loginOrigin } from "../support/login-server.ts";
import {
  atCall,
  auth,
  bearerOf,
  connect,
  connected,
  disconnect,
  key,
  login,
  prepareOwnLogin,
  upstream,
  url,
} from "../support/own-login.ts";
import { type RelayClient, configureServers } from "../support/mcp-server.ts";
import { decide, pathOf } from "../support/reviewer.ts";
import { StatelessClient, lastOf } from "../support/stateless.ts";

const review = { request: "review", response: "allow", selfApproval: true, reviewers: ["chat"] };

beforeEach(async () => {
  await prepareOwnLogin();
  await configure("policy", {
    ...policy,
    rules: [{ name: "calls", when: { subject: "toolCall" }, then: review }],
    reviewers: { everyone: [{ name: "Ada", email: addresses.Ada }], chat: [{ name: "Ben" }] },
  });
});

type Answer = { readonly result?: { readonly content?: readonly { readonly text: string }[] } };
const textOf = async (answer: Promise<Response>): Promise<string> =>
  ((await lastOf(await answer)) as Answer).result?.content?.map(({ text }) => text).join() ?? "";
/** The entry as the gateway reads it. */
function entry(): Server {
  const servers = parseServers({ servers: { own: { url, auth } } });
  if (!servers.ok || servers.value.servers["own"] === undefined) throw new Error("not an entry");
  return servers.value.servers["own"];
}
const sent = (): number => upstream.calls.filter(({ message }) => message.method === "tools/call").length;
const pageOf = async (link: string): Promise<string> => (await gateway(pathOf(link), { key: null })).text();
const plainText = (html: string): string => html.replaceAll(/<[^>]*>/g, "");

describe("whose account a call is for", () => {
  test.each([
    ["ada-l", `ada-l, the login of Ada at ${loginOrigin}`],
    [null, `the login of Ada at ${loginOrigin}, which does not name the account`],
  ])("is on the page, and in the record without a token: %s", async (account, said) => {
    login.account = account;
    await connect();
    const answer = (await connected()).call(1);
    const { run, link } = await openNotice("request");
    expect(plainText(await pageOf(link))).toContain(said);
    await decide("request", "approve");
    expect(await textOf(answer)).toBe("done");
    const events = await recordWith(run, "finished");
    expect(events[0]?.fact).toMatchObject({ kind: "received", account: { issuer: loginOrigin, name: account } });
    for (const token of [...login.good, ...login.refresh]) expect(JSON.stringify(events)).not.toContain(token);
  });
});

describe("while people decide", () => {
  test("its owner disconnects: it is not sent, they are asked to sign in, and the approval stays for that account", async () => {
    await connect();
    const made = await connected();
    const answer = made.call(1);
    const { run } = await openNotice("request");
    expect(await disconnect()).toContain("is disconnected");
    const { link } = await decide("request", "approve");
    expect(await textOf(answer)).toContain("Ada is not signed in at the server own. Nothing was sent.");
    expect(plainText(await pageOf(link))).toContain("The call has not run yet");
    await connect();
    expect(await textOf(made.call(2))).toBe("done");
    expect(plainText(await pageOf(link))).toContain("The result was delivered");
    expect([sent(), (await notices()).filter((notice) => notice.run !== run)]).toEqual([1, []]);
  });

  test("its owner signs in with another account: it is not sent for that one, which is another review", async () => {
    await connect();
    const made = await connected();
    const answer = made.call(1);
    const { run } = await openNotice("request");
    await disconnect();
    login.account = "ada-at-work";
    await connect();
    await decide("request", "approve");
    expect(await textOf(answer)).toContain("with another account since this call came. Nothing was sent.");
    const again = made.call(2);
    const other = await eventually("another review", async () => (await notices()).find((notice) => notice.run !== run));
    expect(plainText(await pageOf(other.link))).toContain("ada-at-work, the login of Ada");
    await decide("request", "approve", other.run);
    expect(await textOf(again)).toBe("done");
    expect(sent()).toBe(1);
  });

  test("no request is sent with a token of another account than the one that it is for", async () => {
    await connect();
    const account = { issuer: loginOrigin, name: "ada-at-work" };
    const asked = { method: "POST", body: "{}", session: null, headers: new Headers(), authorization: null } as const;
    const server = { ...entry(), login: { server: "own", owner: "Ada", account } };
    expect(await askUpstream(env, server, asked)).toEqual({ ok: false, error: "otherAccount" });
    expect(upstream.calls).toEqual([]);
    expect((await askUpstream(env, { ...server, login: { ...server.login, account: { ...account, name: "ada-l" } } }, asked)).ok).toBe(
      true,
    );
  });
});

/**
 * As the first call arrives its token ends, and with `refresh` what renews it. Gives the bodies of
 * calls as they arrive.
 */
function endsAtCall(which: "access" | "refresh"): string[] {
  const bodies: string[] = [];
  atCall.decide = (call) => {
    bodies.push(call.text);
    if (bodies.length === 1) login.good.delete(bearerOf(call));
    if (bodies.length === 1 && which === "refresh") login.refresh.clear();
    return undefined;
  };
  return bodies;
}

/** One that was issued just now, and is refused, is not renewed. */
async function connectedLongAgo(): Promise<RelayClient> {
  await connect();
  travel(60_000);
  return connected();
}

describe("a token that the server ends as an approved call arrives", () => {
  test("is renewed once, and the same bytes are sent once more", async () => {
    const made = await connectedLongAgo();
    const bodies = endsAtCall("access");
    const answer = made.call(1);
    const { run } = await openNotice("request");
    await decide("request", "approve");
    expect(await textOf(answer)).toBe("done");
    expect([bodies.length, new Set(bodies).size, sent(), login.asked.length]).toEqual([2, 1, 1, 2]);
    const kinds = (await recordWith(run, "finished")).map(({ fact }) => fact.kind);
    expect(kinds.filter((kind) => kind === "called" || kind === "callFailed")).toEqual(["called"]);
  });

  test("and cannot be renewed: nothing has run, the approval is not spent, and the same call is sent once its owner signs in", async () => {
    await connect();
    const made = await connected();
    const bodies = endsAtCall("refresh");
    const answer = made.call(1);
    const { run } = await openNotice("request");
    const { link } = await decide("request", "approve");
    const said = await textOf(answer);
    expect(said).toContain("Ada is not signed in at the server own. The server refused the login of this call before it ran it.");
    expect(said).toContain("The call stays approved.");
    expect([bodies.length, sent()]).toEqual([1, 0]);
    expect(plainText(await pageOf(link))).toContain("The call has not run yet");
    await connect();
    expect(await textOf(made.call(2))).toBe("done");
    expect([bodies.length, sent(), (await notices()).filter((notice) => notice.run !== run)]).toEqual([2, 1, []]);
    const facts = (await recordWith(run, "finished")).map(({ fact }) => fact);
    const calls = facts.flatMap((fact) => (fact.kind === "called" || fact.kind === "callFailed" ? [[fact.kind, fact.call]] : []));
    expect(calls).toEqual([
      ["called", 1],
      ["callFailed", 1],
      ["called", 2],
    ]);
  });

  test("and refuses a second time: it is not sent a third time", async () => {
    const made = await connectedLongAgo();
    const bodies: string[] = [];
    atCall.decide = (call) => {
      bodies.push(call.text);
      login.good.delete(bearerOf(call));
      // So late that the renewed one would be renewed again.
      travel(20_000);
      return undefined;
    };
    const answer = made.call(1);
    await openNotice("request");
    await decide("request", "approve");
    expect(await (await answer).text()).toContain("own login of the key's owner");
    expect([bodies.length, sent()]).toEqual([2, 0]);
  });

  test.each([false, true])(
    "is nothing that a server can claim, also where its login has just ended (%s): its own error in the gateway's words spends the approval",
    async (ends) => {
      await connect();
      const made = await connected();
      atCall.decide = async ({ message }) => {
        if (ends) await disconnect();
        return Response.json({ jsonrpc: "2.0", id: message.id, error: { code: -32_603, message: errorMessages.notSignedIn } });
      };
      const answer = made.call(1);
      const { run } = await openNotice("request");
      await decide("request", "approve");
      await (await answer).text();
      expect((await recordWith(run, "finished")).map(({ fact }) => fact.kind)).toContain("callFailed");
    },
  );

  test.each([
    ["no challenge", null],
    ["a challenge of another scheme", 'Basic realm="backend, Bearer"'],
    ["another error", 'Bearer error="insufficient_user_authentication"'],
  ])("but does not say so (%s): the call may have run, and is not sent again", async (_, challenge) => {
    const made = await connectedLongAgo();
    const bodies: string[] = [];
    atCall.decide = ({ text }) => {
      bodies.push(text);
      return new Response(null, { status: 401, headers: challenge === null ? {} : { "WWW-Authenticate": challenge } });
    };
    const answer = made.call(1);
    const { run } = await openNotice("request");
    await decide("request", "approve");
    expect(await (await answer).text()).toContain("unknown");
    expect(bodies).toHaveLength(1);
    expect((await recordWith(run, "finished")).map(({ fact }) => fact.kind)).toContain("callFailed");
    // The token is renewed for what comes next.
    expect(login.asked).toHaveLength(2);
  });

  test("as a task: it keeps its approval, and is sent once its owner signs in", async () => {
    await connect();
    const made = await connected();
    const bodies = endsAtCall("refresh");
    const tool = { name: "delete_branch", arguments: { branch: "main" } };
    const begun = (await lastOf(await made.call(1, { ...tool, task: {} }))).result?.["task"];
    const { taskId } = begun as unknown as { taskId: string };
    const ask = async (): Promise<{ status: string; statusMessage: string }> =>
      (await lastOf(await made.request("get", "tasks/get", { taskId }))).result as unknown as { status: string; statusMessage: string };
    await openNotice("request", taskId);
    await decide("request", "approve", taskId);
    await eventually("its return to the approved", async () => ((await ask()).statusMessage.includes("signed in") ? true : null));
    expect([bodies.length, sent()]).toEqual([1, 0]);
    await connect();
    await eventually("the result", async () => ((await ask()).status === "completed" ? true : null));
    expect([bodies.length, sent()]).toEqual([2, 1]);
  });
});

describe("a task of whom is not signed in", () => {
  const tool = { name: "delete_branch", arguments: { branch: "main" } };
  const takesTasks = { extensions: { "io.modelcontextprotocol/tasks": {} } };
  type Task = { readonly taskId: string; readonly status: string; readonly statusMessage: string };

  test("keeps its approval, its client is told why, and it is sent once when they are", async () => {
    await connect();
    const made = await connected();
    const begun = (await lastOf(await made.call(1, { ...tool, task: {} }))).result?.["task"] as unknown as Task;
    const ask = async (): Promise<Task> =>
      (await lastOf(await made.request("get", "tasks/get", { taskId: begun.taskId }))).result as unknown as Task;
    await openNotice("request", begun.taskId);
    await disconnect();
    await decide("request", "approve", begun.taskId);
    const waiting = await eventually("the approval", async () => {
      const task = await ask();
      return task.statusMessage.includes("approved") ? task : null;
    });
    expect(waiting).toMatchObject({ status: "working" });
    expect(waiting.statusMessage).toContain(`${publicUrl}/inbox/connections`);
    expect(sent()).toBe(0);
    await connect();
    await eventually("the result", async () => ((await ask()).status === "completed" ? true : null));
    expect(sent()).toBe(1);
    // Nothing was claimed for a call that could not be sent.
    const kinds = (await recordWith(begun.taskId, "finished")).map(({ fact }) => fact.kind);
    expect(kinds.filter((kind) => kind === "called" || kind === "callFailed")).toEqual(["called"]);
  });

  test("is sent as a task of 2026-07-28 also where no client asks about it", async () => {
    await configureServers({ own: { url, auth, protocol: "2026" } });
    await connect();
    const made = new StatelessClient("own", { key });
    const { taskId } = (await made.says("tools/call", tool, { capabilities: takesTasks })).result as unknown as Task;
    await openNotice("request", taskId);
    await disconnect();
    await decide("request", "approve", taskId);
    await recordWith(taskId, "approved");
    expect(sent()).toBe(0);
    await connect();
    travel(60_000);
    await ringNextAlarm(stubOf(taskId));
    await eventually("the call", async () => (sent() === 1 ? true : null));
  });
});
