// A review in a channel of Microsoft Teams: everybody in it has the same link, so it is one vote
// without a name.

import { beforeEach, describe, expect, test } from "vitest";
import { ScriptedTeams } from "../../support/teams-workflow.ts";
import { answerOf, configure, env, eventually, openNotice, policy, sample, travel } from "../support/gateway.ts";
import { neverLogged, promptMarker } from "../support/logs.ts";
import { answerAt } from "../support/provider.ts";
import { press } from "../support/reviewer.ts";
import { recordOf, ringAlarm, tablesOf } from "../objects/inside.ts";
import { digestStub } from "../../../workers/stubs/stubs.ts";

neverLogged("signature-of-the-tests");
const room = { name: "someone in Reviews", teams: "REVIEWS" };
const ann = { name: "Ann", email: "ann@example.com" };
let teams: ScriptedTeams;

beforeEach(() => {
  teams = new ScriptedTeams();
  answerAt("https://teams.example.com", teams.answer);
});

const asking = (reviewers: readonly object[], gate: object = {}) => ({
  ...policy,
  rules: [],
  default: { ...policy.default, response: "allow", ...gate },
  reviewers: { everyone: reviewers },
});

describe("a review in a Teams channel", () => {
  test("is one card with the room's own link; whoever opens it decides for the room, and a second card says so", async () => {
    await configure("policy", asking([room], { noticeExcerpt: "start" }));
    const answer = answerOf(sample({ server: "notes" }));
    const { run } = await openNotice("request");
    const [card] = await eventually("the card", async () => (teams.cards.length > 0 ? teams.cards : null));
    // Ten where it is made in the millisecond in which the review opens.
    expect(card?.summary).toMatch(/^notes · .* asks .+ · (?:9|10) min/);
    expect(card?.lines.join("\n").replaceAll("\u200b", "")).toContain(promptMarker);
    const [link = ""] = card?.links ?? [];
    expect((await press(link, "approve")).status).toBe(303);
    expect((await answer).error).toBeUndefined();
    const outcome = await eventually("the outcome", async () => teams.cards[1]);
    expect(outcome.lines).toEqual(expect.arrayContaining(["Approved", expect.stringContaining("someone in Reviews approved this on ")]));
    expect(outcome.links).toEqual([]);
    expect((await recordOf(run)).map(({ fact }) => fact)).toContainEqual(
      expect.objectContaining({ kind: "noticed", channel: "teams", reviewer: "someone in Reviews", state: "sent" }),
    );
  });

  test.each([
    ["a quorum above one", { quorum: 2 }],
    ["own requests barred", { selfApproval: false }],
  ])("is refused by the policy with %s", async (_name, gate) => {
    await expect(configure("policy", asking([room, ann], gate))).rejects.toThrow("someone in Reviews is a Teams channel");
  });

  test("gets five cards a minute; the reviews after them come in one, each with its link", async () => {
    await configure("policy", asking([room]));
    // A day ahead: the digest goes out when it is rung, however long this takes.
    travel(24 * 3_600_000);
    for (let asked = 0; asked < 8; asked += 1)
      await sample({ server: "notes", originating: asked }, { headers: { Prefer: "respond-async" } });
    const digest = digestStub(env, "teams", "REVIEWS") as DurableObjectStub;
    const waiting = async (): Promise<boolean> =>
      ((await tablesOf(digest))["item"] ?? []).filter(({ state }) => state === "waiting").length === 3;
    await eventually("those that wait", waiting);
    expect(teams.cards).toHaveLength(5);
    travel(15_000);
    await ringAlarm(digest);
    expect(teams.cards.slice(5).map(({ summary, links }) => [summary, links.length])).toEqual([["3 reviews wait for you", 3]]);
    expect(new Set(teams.cards.flatMap(({ links }) => links)).size).toBe(8);
  });
});
