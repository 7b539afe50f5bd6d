// Under a rule that wants a passkey (`then.confirm`): whatever else lets a request or a call go on
// without a person lets none go on, and neither does any other way to decide.

import { beforeEach, describe, expect, test } from "vitest";
import { approveAct } from "../../../shared/review/form.ts";
import { reviewKey } from "../../../shared/review/inbox.ts";
import type { Authenticator } from "../../support/authenticator.ts";
import { ringNextAlarm, stubOf } from "../objects/inside.ts";
import { approvalIn, askApproval, deletion } from "../support/approvals.ts";
import { cached, toldCache } from "../support/cached.ts";
import { control, controlAnswerOf } from "../support/control.ts";
import {
  admin,
  adminJson,
  configure,
  env,
  eventually,
  gateway,
  gatewayWith,
  jsonBody,
  noSuchService,
  policy,
  publicUrl,
  runOf,
  runReaches,
  sample,
  travel,
} from "../support/gateway.ts";
import { grantList } from "../support/grants.ts";
import { InboxBrowser, addresses, configureInbox, readFor, waits } from "../support/inbox.ts";
import { addingForm, confirmedForm, decisionForm, withPasskey } from "../support/passkeys.ts";
import { recordLines } from "../support/record.ts";

const pageOf = (run: string): string => `/inbox/reviews/request/${run}`;
const together = (runs: readonly string[]): string =>
  `/inbox/together?${new URLSearchParams(runs.map((run) => ["pick", reviewKey(run, "request")]))}`;

/** Every sampling request and every call is reviewed by Ada, in this way. */
const asking = (then: object, more: object = {}): Promise<void> =>
  configure("policy", {
    ...policy,
    rules: [{ name: "calls", when: { subject: "toolCall" }, then: { request: "review", selfApproval: true, ...then, ...more } }],
    default: { ...policy.default, response: "allow", deadlineSeconds: 7_200, ...then },
    reviewers: { everyone: [{ name: "Ada", email: addresses.Ada }] },
  });
const byPasskey = (): Promise<void> => asking({ confirm: "passkey" });

let ada: InboxBrowser;
let passkey: Authenticator;
let calls = 0;

beforeEach(async () => {
  await configureInbox();
  await byPasskey();
  ada = new InboxBrowser();
  await ada.signIn(addresses.Ada);
  passkey = await withPasskey(ada);
});

/** The runs that Ada was told of, oldest first, once there are so many. */
const runsOfNotices = (count: number): Promise<string[]> =>
  eventually("its notices", async () => {
    const { notices } = await adminJson<{ notices: { run: string; at: string }[] }>("/notices");
    const runs = [...new Set(notices.toSorted((a, b) => a.at.localeCompare(b.at)).map(({ run }) => run))];
    return runs.length >= count ? runs : null;
  });

function newCall(): object {
  calls += 1;
  return { ...deletion, tool: "delete_ways", arguments: { path: "/tmp/a", n: calls } };
}

/** A call that is asked about: its run's id. */
async function callWaits(): Promise<string> {
  const response = await askApproval(newCall(), { headers: { Prefer: "respond-async" } });
  return (response.headers.get("Location") ?? "").slice("/runs/".length);
}

const stateOf = async (run: string): Promise<string> => (await runOf(run)).state;
const post = async (page: string, fields: URLSearchParams): Promise<Response> => {
  readFor();
  return ada.post(page, fields);
};
const approve = async (run: string): Promise<number> =>
  (await post(pageOf(run), await confirmedForm(ada, pageOf(run), await decisionForm(ada, pageOf(run), { act: approveAct(0) }), passkey)))
    .status;

describe("what lets others go on without a person", () => {
  test("a bypass, and a grant that was made before the rule, let none go on", async () => {
    await asking({ grants: true });
    expect((await admin("/grants", jsonBody("POST", { key: "key_dev" }))).status).toBe(201);
    const first = await waits();
    const grant = { act: "allow", grant: "tool:shape", "grant-uses": "9", "grant-hours": "9" };
    expect((await post(pageOf(first), await decisionForm(ada, pageOf(first), grant))).status).toBe(303);
    await runReaches(first, "completed");
    await eventually("both", async () => (await grantList("state=live")).length === 2);
    // Both count as long as the rule wants no passkey.
    await runReaches(await waits(), "completed");
    expect(await approvalIn(askApproval(newCall()))).toMatchObject({ decision: "approved" });
    await byPasskey();
    for (const run of [await waits(), await callWaits()]) {
      expect(await ada.text(pageOf(run))).toContain("Approving asks for your passkey");
      expect(await stateOf(run)).toBe("waiting");
    }
  });

  test("a juror that may let calls pass cannot be set beside it", async () => {
    const juror = { model: "first", instructions: "Only below /tmp.", mayPass: { perHour: 100, unlisted: true } };
    await expect(asking({ confirm: "passkey" }, { juror })).rejects.toThrow("mayPass");
    await expect(asking({}, { juror })).resolves.toBeUndefined();
  });

  test("a reply that was approved with a passkey, and that nobody took, serves no other request", async () => {
    const asked = { session: "sess-2", originating: "another", server: "notes" };
    const response = await sample({ server: "notes" });
    const [run = ""] = await runsOfNotices(1);
    await response.body?.cancel();
    await eventually("the requestor gone", async () => (await ada.text(pageOf(run))).includes("has disconnected"));
    travel(3_500);
    await ringNextAlarm(stubOf(run));
    expect(await approve(run)).toBe(303);
    await runReaches(run, "completed");
    const again = await sample({ ...asked, id: "again" }, { headers: { Prefer: "respond-async" } });
    const next = (again.headers.get("Location") ?? "").slice("/runs/".length);
    expect([next === run, await stateOf(next)]).toEqual([false, "waiting"]);
  });

  test("a cached reply serves none at /control, where a form without an assertion decides nothing either", async () => {
    for (const count of [1, 2]) {
      const answer = controlAnswerOf(control(cached()));
      const run = (await runsOfNotices(count)).at(-1) ?? "";
      const plain = await decisionForm(ada, pageOf(run), { act: approveAct(0) });
      expect((await post(pageOf(run), plain)).status).toBe(403);
      expect(await approve(run)).toBe(303);
      expect(await toldCache(run, answer)).toMatchObject({ status: "completed", run });
    }
  });
});

describe("what decides other reviews", () => {
  test("the page of a series approves none of its calls; it denies them with a stop, whose end lets none go on", async () => {
    const runs = [await callWaits(), await callWaits()];
    const page = together(runs);
    const shown = await ada.text(page);
    expect([shown.includes('value="approve:0"'), shown.includes("open each alone to approve it")]).toEqual([false, true]);
    const approving = await decisionForm(ada, page, { act: approveAct(0) });
    const html = await (await post("/inbox/together", approving)).text();
    expect(html.match(/data-outcome="needsPasskey"/g)).toHaveLength(2);
    expect(await Promise.all(runs.map(stateOf))).toEqual(["waiting", "waiting"]);
    await post("/inbox/together", await decisionForm(ada, page, { act: "denyStop" }));
    const [run = ""] = runs;
    const kinds = async (): Promise<string[]> => (await recordLines({ run })).map(({ fact }) => fact.kind);
    await eventually("the denial", async () => (await kinds()).includes("toolStopped"));
    expect(await kinds()).not.toContain("approved");
    const lifted = await post(pageOf(run), await decisionForm(ada, pageOf(run), { act: "undoStop" }));
    expect(lifted.status).toBe(303);
    const next = await eventually("a call after the stop", async () => {
      const each = await callWaits();
      return each === "" ? null : each;
    });
    expect(await stateOf(next)).toBe("waiting");
  });

  test("a terminal finds no review by what an operator lists, and its form decides nothing in a session", async () => {
    const run = await waits();
    await runsOfNotices(1);
    const { notices } = await adminJson<{ notices: { link: string | null }[] }>("/notices?state=open");
    expect(notices.map(({ link }) => link)).toEqual(notices.map(() => null));
    const json = { Accept: "application/json" };
    expect(await (await gateway(pageOf(run), { key: null, headers: json })).json()).toMatchObject({ page: "signIn" });
    const fields = await decisionForm(ada, pageOf(run), { act: approveAct(0) });
    readFor();
    const answer = await ada.post(pageOf(run), fields, { ...json, Origin: publicUrl });
    expect([answer.status, await answer.json()]).toEqual([403, expect.objectContaining({ problem: { why: { passkey: "missing" } } })]);
    expect(await stateOf(run)).toBe("waiting");
  });
});

describe("while passkeys cannot be checked", () => {
  /** Ada's form, at a gateway whose tools Worker is away. */
  async function away(page: string, fields: URLSearchParams): Promise<[number, string]> {
    readFor();
    const TOOLS = noSuchService as unknown as typeof env.TOOLS; // a stub has any method
    const answer = await gatewayWith({ TOOLS }, ada.at(page), {
      method: "POST",
      key: null,
      body: fields.toString(),
      headers: {
        "Content-Type": "application/x-www-form-urlencoded",
        Origin: publicUrl,
        Cookie: [...ada.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      },
    });
    return [answer.status, await answer.text()];
  }

  test("nothing is decided, the page says why, and the same signature counts once they can", async () => {
    const run = await waits();
    const page = pageOf(run);
    const fields = await confirmedForm(ada, page, await decisionForm(ada, page, { act: approveAct(0) }), passkey);
    const [status, html] = await away(page, fields);
    expect([status, html.includes("Your passkey could not be checked. Nothing was decided: try again in a minute")]).toEqual([503, true]);
    expect(await stateOf(run)).toBe("waiting");
    expect((await ada.post(page, fields)).status).toBe(303);
  });

  test("none is added, and the page says why", async () => {
    const grown = await addingForm(ada, passkey, { by: passkey });
    const [status, html] = await away("/inbox/passkeys", grown);
    expect([status, html.includes("It was not added: it could not be checked.")]).toEqual([503, true]);
    expect((await ada.text("/inbox/passkeys")).match(/My phone/g)).toHaveLength(1);
  });
});
