// Slack's endpoint: signatures, replays, and presses of buttons by somebody or from somewhere else.

import { expect } from "vitest";
import { type SlackMessageSeen, buttonsIn, signatureOf } from "../../support/slack/scripted-slack.ts";
import { until } from "../../outside/support/raw-client.ts";
import { type Area, type Attack, eachOf } from "../attack.ts";
import { askedInSlack } from "../channels.ts";
import { slackMember } from "../documents.ts";
import { rpcOf } from "../people.ts";
import { type Answer, type World, secrets } from "../world.ts";

const post = (world: World, body: string, headers: Readonly<Record<string, string>>): Promise<Answer> =>
  world.ask("/slack/interactions", { method: "POST", key: null, body, headers });

async function deliver(world: World, payload: unknown, change: Readonly<Record<string, string | null>> = {}): Promise<Answer> {
  const { body, headers } = await world.slack.sign(payload, change);
  return post(world, body, headers);
}

/** The run is decided by nothing that was tried: the reviewer's own press does. */
async function stillOpen(world: World, message: SlackMessageSeen, place: number, answer: Promise<Answer>): Promise<void> {
  expect(world.model.requests.length, "calls of the model").toBe(0);
  expect((await deliver(world, world.slack.press(message, "approve", slackMember(place)))).status, "the reviewer's own press").toBe(200);
  expect(rpcOf(await answer).result, "the review was over before its reviewer decided").toBeDefined();
}

const seconds = (): number => Math.floor(Date.now() / 1_000);

const signatures: readonly [string, (body: string) => Promise<Record<string, string | null>>][] = [
  ["no signature", async () => ({ "X-Slack-Signature": null })],
  ["no timestamp", async () => ({ "X-Slack-Request-Timestamp": null })],
  ["a signature of zeros", async () => ({ "X-Slack-Signature": `v0=${"0".repeat(64)}` })],
  ["an empty signature", async () => ({ "X-Slack-Signature": "v0=" })],
  [
    "a signature by another secret",
    async (body) => ({ "X-Slack-Signature": await signatureOf("another-secret-0123456789", String(seconds()), body) }),
  ],
  [
    "a signature of another body",
    async (body) => ({ "X-Slack-Signature": await signatureOf(secrets.slackSigning, String(seconds()), `${body} `) }),
  ],
  [
    "a signature in capital letters",
    async (body) => ({ "X-Slack-Signature": (await signatureOf(secrets.slackSigning, String(seconds()), body)).toUpperCase() }),
  ],
  [
    "another version's signature",
    async (body) => ({ "X-Slack-Signature": (await signatureOf(secrets.slackSigning, String(seconds()), body)).replace("v0=", "v1=") }),
  ],
  [
    "two signatures",
    async (body) => ({ "X-Slack-Signature": `${await signatureOf(secrets.slackSigning, String(seconds()), body)}, v0=${"0".repeat(64)}` }),
  ],
  ["a timestamp five minutes old", async () => ({ "X-Slack-Request-Timestamp": String(seconds() - 302) })],
  ["a timestamp five minutes ahead", async () => ({ "X-Slack-Request-Timestamp": String(seconds() + 303) })],
  ["a timestamp that is no number", async () => ({ "X-Slack-Request-Timestamp": "now" })],
  ["a timestamp with a fraction", async () => ({ "X-Slack-Request-Timestamp": `${seconds()}.5` })],
  ["a timestamp in hexadecimal", async () => ({ "X-Slack-Request-Timestamp": `0x${seconds().toString(16)}` })],
];

const signed = eachOf(signatures, ([what, change]) => ({
  name: `a press with ${what} decides nothing`,
  run: async (world) => {
    const { notice, answer, place } = await askedInSlack(world);
    const payload = world.slack.press(notice, "approve", slackMember(place));
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    expect((await deliver(world, body, await change(body))).status, "the status").toBe(401);
    await stillOpen(world, notice, place, answer);
  },
}));

const presses: readonly [string, (message: SlackMessageSeen, user: string) => Record<string, unknown>][] = [
  ["of another workspace", (_, user) => ({ team: { id: "T0OTHER" }, user: { id: user, team_id: "T0OTHER" } })],
  ["by a member of another workspace in a shared channel", (_, user) => ({ user: { id: user, team_id: "T0OTHER" } })],
  ["of nobody's workspace", (_, user) => ({ user: { id: user } })],
  ["of another app", () => ({ api_app_id: "A0OTHER" })],
  ["by another member", () => ({ user: { id: "U0EVE", team_id: "T0TEAM" } })],
  ["on another message", ({ channel }) => ({ container: { message_ts: "1700000000.000001", channel_id: channel } })],
  ["in another channel", ({ ts }) => ({ container: { message_ts: ts, channel_id: "D0EVE" } })],
  ["on no message", () => ({ container: {} })],
  ["with an empty value", () => ({ actions: [{ action_id: "approve", type: "button", value: "" }] })],
  ["with a changed value", ({ blocks }) => ({ actions: [{ action_id: "approve", type: "button", value: `${valueOf(blocks)}A` }] })],
  [
    "with one letter of its value changed",
    ({ blocks }) => ({
      actions: [{ action_id: "approve", type: "button", value: valueOf(blocks).replace(/.$/, (last) => (last === "A" ? "B" : "A")) }],
    }),
  ],
  [
    "of Approve with the value of Deny",
    ({ blocks }) => ({ actions: [{ action_id: "approve", type: "button", value: valueOf(blocks, "deny") }] }),
  ],
  ["with an action that the message does not have", () => ({ actions: [{ action_id: "__proto__", type: "button", value: "x" }] })],
  ["with no action", () => ({ actions: [] })],
];

const valueOf = (blocks: SlackMessageSeen["blocks"], action = "approve"): string =>
  buttonsIn(blocks).find(({ action_id: id }) => id === action)?.value ?? "";

const pressed = eachOf(presses, ([what, change]) => ({
  name: `a signed press ${what} approves nothing`,
  run: async (world) => {
    const { notice, answer, place } = await askedInSlack(world);
    const user = slackMember(place);
    const given = await deliver(world, world.slack.press(notice, "approve", user, change(notice, user)));
    expect(given.status, "the status").toBeLessThan(500);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await stillOpen(world, notice, place, answer);
  },
}));

const others: readonly Attack[] = [
  {
    name: "a button of one review, pressed in the message of another, decides neither",
    run: async (world) => {
      const [first, second] = [await askedInSlack(world), await askedInSlack(world)];
      const value = valueOf(first.notice.blocks);
      const payload = world.slack.press(second.notice, "approve", slackMember(second.place), {
        actions: [{ action_id: "approve", type: "button", value }],
      });
      await deliver(world, payload);
      await new Promise((resolve) => setTimeout(resolve, 100));
      await stillOpen(world, first.notice, first.place, first.answer);
      world.model.reset();
      await stillOpen(world, second.notice, second.place, second.answer);
    },
  },
  {
    name: "a request of Slack's that is sent again decides nothing more",
    run: async (world) => {
      const { notice, answer, place } = await askedInSlack(world);
      const { body, headers } = await world.slack.sign(world.slack.press(notice, "approve", slackMember(place)));
      for (let time = 0; time < 5; time += 1) expect((await post(world, body, headers)).status, "the status").toBe(200);
      await answer;
      expect(world.model.requests.length, "calls of the model").toBe(1);
    },
  },
  {
    name: "a dialog that somebody else submits decides nothing",
    run: async (world) => {
      const { notice, answer, place } = await askedInSlack(world);
      const opened = world.slack.views.length;
      await deliver(world, world.slack.press(notice, "deny", slackMember(place)));
      const { view } = await until("the dialog", () => world.slack.views[opened]);
      await deliver(world, world.slack.submit(view, "U0EVE"));
      const metadata = JSON.stringify({ run: "run_x", gate: "request" });
      await deliver(world, world.slack.submit({ ...view, private_metadata: metadata }, slackMember(place)));
      await stillOpen(world, notice, place, answer);
    },
  },
  ...eachOf(
    [
      ["is no JSON", "payload=not+json"],
      ["is null", "payload=null"],
      ["is a list", "payload=%5B%5D"],
      ["is of a type that nobody knows", "payload=%7B%22type%22%3A%22__proto__%22%7D"],
      ["is a megabyte", `payload=${"x".repeat(1_100_000)}`],
      ["has no payload", "a=b"],
      ["is empty", ""],
    ] as const,
    ([what, body]) => ({
      name: `a signed body that ${what} is refused or ignored`,
      run: async (world: World) => {
        // The connection may be closed before all of it was sent.
        const answer = await deliver(world, body).catch(() => null);
        expect(answer === null || answer.status < 500, `the status is ${answer?.status}`).toBe(true);
      },
    }),
  ),
];

export const slack: Area = { name: "slack", about: "Slack's signatures, replays and presses", attacks: [...signed, ...pressed, ...others] };
