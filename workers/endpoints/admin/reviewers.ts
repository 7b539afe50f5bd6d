// The reviewers of the policy for the operator: how each is reached, how many reviews wait for
// them; and a test of one of their channels.

import { Hono } from "hono";
import * as z from "zod";
import { readJsonOf } from "../../../shared/json/json-of.ts";
import { type LinkChannel, linkChannels, roomWords } from "../../../shared/notice-channels.ts";
import type { Policy, PolicyReviewer } from "../../../shared/policy/rules.ts";
import { addressDigest, inboxNameOf } from "../../../shared/review/inbox.ts";
import type { DeliveryResult } from "../../channels/channel.ts";
import { fromPages } from "../../channels/from-pages.ts";
import { channelsFor, openChannels } from "../../channels/registry.ts";
import type { Env } from "../../platform/env.ts";
import { iso } from "../../http/iso-time.ts";
import { settingsOf } from "../../platform/settings.ts";
import { paths } from "../../platform/urls.ts";
import { configStub, digestStub, inboxStub } from "../../stubs/stubs.ts";
import type { App } from "../app-context.ts";
import { asJson } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { validJson, validQuery } from "../validated.ts";
import { currentPolicy } from "./admin-documents.ts";
import { type ChannelTest, type ListedReviewer, type ReviewerList, channelTest, reviewerList } from "./answers/reviewers.ts";

export const reviewerRoutes = new Hono<App>();

const noStore = { "Cache-Control": "no-store" };
/**
 * Each reviewer costs one call to their inbox, and a request may make 50 calls on the smallest
 * plan.
 */
const reviewersInAnAnswer = 40;

const reviewersQuery = z.strictObject({
  after: z.string().min(1).max(128).optional().describe("`next` of the answer before: the reviewers that follow"),
});

const listReviewers = describe("listReviewers", {
  summary: "The reviewers of the policy: their groups and channels, and how many reviews wait for each",
  200: asJson(reviewerList, "Up to 40 reviewers, and where to go on"),
});

reviewerRoutes.get(paths.admin.reviewers, listReviewers, validQuery(reviewersQuery), async (c) => {
  const { after } = c.req.valid("query");
  const all = everyReviewer(await currentPolicy(c));
  const from = after === undefined ? 0 : all.findIndex(({ person }) => person.name === after) + 1;
  const page = all.slice(from, from + reviewersInAnAnswer);
  const reviewers = await Promise.all(page.map((each) => lineOf(c.env, each)));
  const next = all.length > from + page.length ? (page.at(-1)?.person.name ?? null) : null;
  return c.json({ reviewers, next } satisfies ReviewerList, 200, noStore);
});

type GroupedReviewer = { readonly person: PolicyReviewer; readonly groups: readonly string[] };

/** Each by name, in the order of the policy, with every group that they are in. */
function everyReviewer({ reviewers }: Policy): GroupedReviewer[] {
  const known = new Map<string, { person: PolicyReviewer; groups: string[] }>();
  for (const [group, people] of Object.entries(reviewers)) {
    for (const person of people) {
      const each = known.get(person.name) ?? { person, groups: [] };
      each.groups.push(group);
      known.set(person.name, each);
    }
  }
  return [...known.values()];
}

async function lineOf(env: Env, { person, groups }: GroupedReviewer): Promise<ListedReviewer> {
  const { name, email, notify, language } = person;
  const { first, then } = channelsFor(person, openChannels(env));
  const use = new Map<LinkChannel, "first" | "then">([
    ...then.map((channel) => [channel.name, "then"] as const),
    ...first.map((channel) => [channel.name, "first"] as const),
  ]);
  const room = roomWords(person) ?? null;
  const inbox =
    email === undefined || room !== null ? null : readJsonOf(await inboxStub(env, inboxNameOf(name)).overview(addressDigest(email)));
  return {
    name,
    groups,
    language: language ?? null,
    notify: notify ?? null,
    room,
    // A room has no inbox, and neither has who has no email address.
    waiting: inbox?.waiting ?? null,
    passkeys: (inbox?.passkeys ?? []).map((each) => ({ id: each.id, name: each.name, addedAt: iso(each.createdAt) })),
    channels: linkChannels.flatMap((channel) => {
      const address = channel === "outbox" ? null : (person[channel] ?? null);
      if (channel === "outbox" ? !use.has(channel) : address === null) return [];
      const isLeftOut = channel !== "outbox" && notify?.includes(channel) === false;
      return [{ channel, address, use: use.get(channel) ?? (isLeftOut ? "leftOut" : "notSetUp") }];
    }),
  };
}

const testRequest = z.strictObject({
  /** The reviewer's name, as the policy has it. */
  reviewer: z.string().min(1).max(128),
  channel: z.enum(linkChannels),
});

const testChannel = describe("testChannel", {
  summary: "Sends a reviewer a test message by one channel: marked as a test, without a link, about no request",
  200: asJson(channelTest, "What became of it, in a sentence"),
  404: "The policy has no such reviewer",
  409: "The channel is not set up, or the reviewer has no address of it",
  429: "Five tests of this channel for this reviewer within a minute",
});

reviewerRoutes.post(paths.admin.channelTest, testChannel, validJson("ChannelTestRequest", testRequest), async (c) => {
  const { reviewer: name, channel: channelName } = c.req.valid("json");
  const { env } = c;
  const person = everyReviewer(await currentPolicy(c)).find((each) => each.person.name === name)?.person;
  if (person === undefined) return c.json({ error: "The policy has no reviewer of this name; GET /admin/reviewers lists them" }, 404);
  const channel = openChannels(env).find((each) => each.name === channelName);
  const { publicUrl } = settingsOf(env);
  if (channel === undefined || publicUrl === undefined) {
    const error = `The channel ${channelName} is not set up, so nothing was sent: POST /admin/doctor says what is missing`;
    return c.json({ error, details: { issue: "notSetUp" } }, 409);
  }
  if (!channel.reaches(person)) {
    const error = `The policy has no ${channelName} address of this reviewer that is set up, so nothing was sent: add or correct it in the policy, or set it up`;
    return c.json({ error, details: { issue: "noAddress" } }, 409);
  }
  if (!(await digestStub(env, `test ${channelName}`, name).mayPass()))
    return c.json({ error: "This channel was tested five times for this reviewer within a minute; wait a minute" }, 429, {
      "Retry-After": "60",
    });
  const said = { kind: "test", reviewer: name, gateway: publicUrl } as const;
  const sent = await tested(() => channel.say({ reviewer: person, said, idempotencyKey: `test-${crypto.randomUUID()}` }));
  const state = sent.kind === "sent" ? "sent" : sent.why;
  await configStub(env).record({ kind: "channelTested", by: c.var.operator, reviewer: name, channel: channelName, state });
  const text = await fromPages(env.PAGES.testResult(channelName, state, "en"));
  return c.json({ state, text } satisfies ChannelTest, 200, noStore);
});

/** A channel that throws, as where the pages Worker does not answer, sent nothing. */
async function tested(send: () => Promise<DeliveryResult>): Promise<DeliveryResult> {
  try {
    return await send();
  } catch {
    return { kind: "again", why: "unavailable" };
  }
}
