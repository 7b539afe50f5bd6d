// Two people who say yes and no at the same time, on any two of three channels: the page by a link
// from a mail, the page by a link from the outbox, a press and a dialog in Slack. One answer
// counts, and the record has one.

import { beforeEach, expect } from "vitest";
import { type MailApi, createMailApi } from "../../support/mail-api.ts";
import { ScriptedSlack, type SlackMessageSeen } from "../../support/slack/scripted-slack.ts";
import {
  adminJson,
  configure,
  createKey,
  env,
  eventually,
  gateway,
  jsonBody,
  model,
  policy,
  publicUrl,
  runOf,
  samplingMessage,
  travel,
} from "../support/gateway.ts";
import { answerAt } from "../support/provider.ts";
import { filledForm, postForm } from "../support/reviewer.ts";
import { recordLines } from "../support/record.ts";

const channels = ["outbox", "email", "slack"] as const;
type Way = (typeof channels)[number];
const acts = ["approve", "deny"] as const;
type Act = (typeof acts)[number];

let slack: ScriptedSlack;
let mails: MailApi;

beforeEach(async () => {
  slack = new ScriptedSlack({ token: env.SLACK_BOT_TOKEN ?? "", secret: env.SLACK_SIGNING_SECRET ?? "", members: ["U0ADA", "U0BOB"] });
  mails = createMailApi();
  answerAt("https://slack.example.com", (request) => slack.handle(request));
  answerAt("https://mail.example.com", mails.answer);
  await configure("policy", {
    ...policy,
    rules: [],
    default: { ...policy.default, response: "allow", noticeExcerpt: "start" },
    reviewers: {
      everyone: [
        { name: "Ada", slack: "U0ADA", email: "ada@example.com" },
        { name: "Bob", slack: "U0BOB", email: "bob@example.com" },
      ],
    },
  });
});

type Listed = { readonly run: string; readonly reviewer: string; readonly channel: string; readonly state: string; readonly link: string };
type Open = {
  readonly run: string;
  readonly listed: readonly Listed[];
  readonly mailed: MailApi["taken"];
  readonly posted: readonly SlackMessageSeen[];
};

/** A run that nobody holds the line for, with every notice of it out. */
async function opened(key: string): Promise<Open> {
  const [mailsBefore, messagesBefore] = [mails.taken.length, slack.messages.length];
  const request = jsonBody("POST", samplingMessage({ server: "notes", originating: mailsBefore }), { Prefer: "respond-async" });
  const answer = await gateway("/sampling", { ...request, key });
  const run = decodeURIComponent((answer.headers.get("Location") ?? "").replace("/runs/", ""));
  const listed = await eventually("all six notices", async () => {
    const all = (await adminJson<{ notices: Listed[] }>("/notices?limit=12")).notices.filter(
      (each) => each.run === run && each.state === "sent",
    );
    return all.length === 6 ? all : null;
  });
  return { run, listed, mailed: mails.taken.slice(mailsBefore), posted: slack.messages.slice(messagesBefore) };
}

/** Everything that is needed to say it, so that saying it is one request. */
async function ready({ listed, mailed, posted }: Open, who: "Ada" | "Bob", way: Way, act: Act): Promise<() => Promise<Response>> {
  if (way === "slack") {
    const message = posted.find(({ channel }) => channel === `D0${who.toUpperCase()}`);
    if (message === undefined) throw new Error("no message");
    const user = `U0${who.toUpperCase()}`;
    const post = async (payload: unknown): Promise<Response> =>
      gateway("/slack/interactions", { method: "POST", key: null, ...(await slack.sign(payload)) });
    if (act === "approve") return () => post(slack.press(message, "approve", user));
    const before = slack.views.length;
    await post(slack.press(message, "deny", user));
    const { view } = await eventually("the dialog", async () => slack.views[before]);
    return () => post(slack.submit(view, user));
  }
  const mail = mailed.find(({ to }) => to.includes(`${who.toLowerCase()}@example.com`));
  const link =
    way === "outbox"
      ? listed.find(({ reviewer, channel }) => reviewer === who && channel === "outbox")?.link
      : /https?:\/\/\S+\/r\/[A-Za-z0-9_-]+/.exec(mail?.text ?? "")?.[0];
  if (link === undefined) throw new Error("no link");
  const fields = await filledForm(link, act);
  return () => postForm(link, fields, { Origin: publicUrl });
}

/**
 * So many pairs, each on the next two channels and in the other order; 18 are every pair of
 * channels in both orders.
 */
export async function pairsAtOnce(count: number): Promise<void> {
  const pairs = channels.flatMap((ada) => channels.map((bob) => [ada, bob] as const));
  const decided = new Map<string, string>();
  const { key } = await createKey({ limits: { requestsPerMinute: 10_000, concurrent: 1_000 } });
  for (let n = 0; n < count; n += 1) {
    const [adasWay, bobsWay] = pairs[n % pairs.length] ?? ["outbox", "email"];
    // Nobody's reviews come so quickly here that several are told of in one message.
    travel(20_000);
    const review = await opened(key);
    const yes = await ready(review, "Ada", adasWay, "approve");
    const no = await ready(review, "Bob", bobsWay, "deny");
    const both = n % 2 === 0 ? [yes(), no()] : [no(), yes()].reverse();
    const [toAda, toBob] = await Promise.all(both);
    const state = await eventually("an end", async () => {
      const run = await runOf(review.run, key);
      return run.state === "completed" || run.state === "rejected" ? run.state : null;
    });
    // Slack is always answered calmly; a page says who was first.
    if (adasWay !== "slack") expect(toAda?.status).toBe(state === "completed" ? 303 : 409);
    if (bobsWay !== "slack") expect(toBob?.status).toBe(state === "rejected" ? 303 : 409);
    decided.set(review.run, state);
  }
  expect(model.calls).toHaveLength([...decided.values()].filter((state) => state === "completed").length);
  const events = await recordLines();
  for (const [run, state] of decided) {
    const answers = events.filter((event) => event.run === run && (event.fact.kind === "approved" || event.fact.kind === "denied"));
    expect(answers.map(({ fact }) => fact.kind)).toEqual([state === "completed" ? "approved" : "denied"]);
  }
  expect(decided.size).toBe(count);
}
