// Reviews for which a rule wants their reviewers signed in (`then.identity`): what is sent opens
// nothing to whoever gets it forwarded, and nobody decides but in the reviewer's own inbox.

import { beforeEach, describe, expect, test } from "vitest";
import { approveAct, formFields } from "../../../shared/review/form.ts";
import { slackReference } from "../../../shared/channels/slack/slack-reference.ts";
import { formNonce, linkToken, nonceRandomLength } from "../../../shared/review/link.ts";
import type { LinkChannel } from "../../../shared/notice-channels.ts";
import { fromBase64url } from "../../../shared/encoding.ts";
import { randomOfRunId } from "../../../shared/sealed-id.ts";
import { settingsOf } from "../../../workers/platform/settings.ts";
import { runStub } from "../../../workers/stubs/stubs.ts";
import { ScriptedSlack, type SlackMessageSeen, buttonsIn } from "../../support/slack/scripted-slack.ts";
import { recordOf, stubOf, tablesOf } from "../objects/inside.ts";
import { approvalIn, askAbout, askApproval } from "../support/approvals.ts";
import { adminJson, createKey, env, eventually, gateway, policy, publicUrl, runReaches } from "../support/gateway.ts";
import { InboxBrowser, addresses, configureInbox, mail, readFor, waits } from "../support/inbox.ts";
import { promptMarker } from "../support/logs.ts";
import { answerAt } from "../support/provider.ts";
import { postForm } from "../support/reviewer.ts";

const ada = { name: "Ada", email: addresses.Ada, slack: "U0ADA" };
const grace = { name: "Grace", email: addresses.Grace };
const { keys } = settingsOf(env);
const pageOf = (run: string): string => `/inbox/reviews/request/${run}`;

let slack: ScriptedSlack;
beforeEach(async () => {
  slack = new ScriptedSlack({
    token: env.SLACK_BOT_TOKEN ?? "",
    secret: env.SLACK_SIGNING_SECRET ?? "",
    members: ["U0ADA"],
    channels: [],
    now: () => Date.now(),
  });
  answerAt("https://slack.example.com", (request) => slack.handle(request));
  await configureInbox({ identity: "signedIn", reviewers: ["Ada"] }, [ada, grace]);
});

/** A request that waits for Ada, once each of her channels has told her. */
async function asked(): Promise<string> {
  const run = await waits(promptMarker);
  await eventually("the notices", async () => {
    const { notices } = await adminJson<{ notices: { run: string; state: string }[] }>("/notices");
    const sent = notices.filter((each) => each.run === run && each.state === "sent");
    return sent.length === 3 && slack.messages.length > 0 && mail.taken.length > 0;
  });
  return run;
}

const decisionsOf = async (run: string): Promise<string[]> =>
  (await recordOf(run)).map(({ fact }) => fact.kind).filter((kind) => ["approved", "denied", "voted"].includes(kind));

describe("a review whose reviewers must be signed in", () => {
  test("is linked in the inbox in every channel, and shows nothing to who is not signed in, or is somebody else", async () => {
    const run = await asked();
    const [email] = mail.taken;
    const [message] = slack.messages;
    const [toAda, toSlack] = [email?.text ?? "", JSON.stringify(message)];
    for (const told of [toAda, toSlack]) expect(told).toContain(`${publicUrl}${pageOf(run)}`);
    for (const told of [toAda, toSlack, JSON.stringify(await adminJson("/notices"))]) {
      expect(told).not.toContain("/r/");
      expect(told).not.toContain(promptMarker);
    }
    expect(buttonsIn(message?.blocks ?? [])).toEqual([]);

    const stranger = await gateway(pageOf(run), { key: null });
    const shown = await stranger.text();
    expect([stranger.status, shown.includes(promptMarker), shown.includes("Ada")]).toEqual([200, false, false]);
    const other = new InboxBrowser();
    await other.signIn(addresses.Grace);
    expect((await other.get(pageOf(run))).status).toBe(404);

    const reader = new InboxBrowser();
    await reader.signIn(addresses.Ada);
    expect(await reader.text(pageOf(run))).toContain(promptMarker);
    const fields = await reader.form(pageOf(run));
    fields.set(formFields.act, approveAct(0));
    readFor();
    expect((await reader.post(pageOf(run), fields)).status).toBe(303);
    await runReaches(run, "completed");
    expect((await recordOf(run)).find(({ fact }) => fact.kind === "approved")?.fact).toMatchObject({
      by: "Ada",
      channel: "inbox",
      known: { how: "email" },
    });
    expect(await reader.text(pageOf(run))).toContain("signed in by a link to their email address");
  });

  test.each([
    ["their sign-in", { identity: "signedIn" }],
    ["a passkey", { confirm: "passkey" }],
  ])("is decided by nobody who has a link's token or a button of Slack, where a rule wants %s", async (_, then) => {
    await configureInbox({ ...then, reviewers: ["Ada"] }, [ada, grace]);
    const run = await asked();
    const rows = (await tablesOf(stubOf(run)))["links"] ?? [];
    const runRandom = randomOfRunId(run) ?? new Uint8Array();
    const view = await runStub(env, run).view({
      gate: "request",
      reviewer: 0,
      link: "inbox",
      isOpening: false,
      isFollowing: false,
      inbox: null,
    });
    const { version, digest } = JSON.parse(view ?? "{}") as { version: number; digest: string };
    expect(rows.map(({ channel }) => channel).sort()).toEqual(["email", "outbox", "slack"]);
    for (const row of rows) {
      const link = String(row["id"]);
      const channel = row["channel"] as LinkChannel; // as the run stored it
      const expiresAtSeconds = Math.floor(Date.now() / 1000) + 3_600;
      const random = fromBase64url(link) ?? new Uint8Array();
      const token = linkToken(keys, { runRandom, gate: "request", reviewer: 0, channel, expiresAtSeconds, random });
      const url = `${publicUrl}/r/${token}`;
      const page = await gateway(`/r/${token}`, { key: null });
      expect([page.status, (await page.text()).includes(promptMarker)]).toEqual([404, false]);
      const nonce = formNonce(
        keys,
        { token, version, digest },
        Date.now() - 5_000,
        crypto.getRandomValues(new Uint8Array(nonceRandomLength)),
      );
      const form = new URLSearchParams({
        [formFields.nonce]: nonce,
        [formFields.version]: String(version),
        [formFields.digest]: digest,
        [formFields.act]: approveAct(0),
      });
      expect((await postForm(url, form)).status).toBe(404);
      const live = await gateway(`/r/${token}/live`, { key: null, headers: { Upgrade: "websocket", Origin: publicUrl } });
      expect(live.status).toBe(404);
      if (channel !== "slack") continue;
      const value = slackReference(keys, { runRandom, gate: "request", link, version, digest, act: "approve" });
      const [message] = slack.messages;
      if (message === undefined) throw new Error("no message in Slack");
      const pressed = slack.press({ ...message, blocks: withApprove(message.blocks, value) }, "approve", "U0ADA");
      await gateway("/slack/interactions", { method: "POST", key: null, ...(await slack.sign(pressed)) });
    }
    expect(await decisionsOf(run)).toEqual([]);
    const reader = new InboxBrowser();
    await reader.signIn(addresses.Ada);
    expect(await reader.text(pageOf(run))).toContain(promptMarker);
  });

  test("is never opened for an owner who cannot sign in", async () => {
    await askAbout(
      { request: "confirm", response: "allow", identity: "signedIn" },
      { default: { ...policy.default, reviewers: ["Ada"] }, reviewers: { everyone: [ada, { name: "Bob", slack: "U0BOB" }] } },
    );
    const { key } = await createKey({ owner: "Bob", scopes: ["sampling"] });
    const answer = await approvalIn(askApproval(undefined, { key }));
    expect(answer).toMatchObject({ decision: "undeliverable" });
    expect(slack.messages).toEqual([]);
  });
});

/** The message as it would be with a button to approve. */
const withApprove = (blocks: SlackMessageSeen["blocks"], value: string): SlackMessageSeen["blocks"] => [
  ...blocks,
  { type: "actions", elements: [{ type: "button", action_id: "approve", text: { type: "plain_text", text: "Approve" }, value }] },
];
