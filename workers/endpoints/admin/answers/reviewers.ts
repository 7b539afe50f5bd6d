// Answers of /admin/reviewers, of the test of a channel, of a reviewer's sessions, and of notices.

import * as z from "zod";
import { count, list, text, time } from "../../../../shared/json/answer-fields.ts";
import { linkChannels, noticeErrors } from "../../../../shared/notice-channels.ts";
import { type AnswerOf, named } from "../../answer-schema.ts";

/** `waiting`: null for a room and for who has no email address: they have no inbox. */
const reviewer = () =>
  z.object({
    name: text(),
    groups: list(text()),
    language: text().nullable(),
    notify: list(text()).nullable(),
    room: text().nullable(),
    waiting: count().nullable(),
    passkeys: list(z.object({ id: text(), name: text(), addedAt: time() })),
    channels: list(
      z.object({ channel: z.enum(linkChannels), address: text().nullable(), use: z.enum(["first", "then", "leftOut", "notSetUp"]) }),
    ),
  });
export type ListedReviewer = AnswerOf<typeof reviewer>;

export const reviewerList = named("ReviewerList", () => z.object({ reviewers: list(reviewer()), next: text().nullable() }));
export type ReviewerList = AnswerOf<typeof reviewerList>;

export const channelTest = named("ChannelTest", () => z.object({ state: z.enum(["sent", ...noticeErrors]), text: text() }));
export type ChannelTest = AnswerOf<typeof channelTest>;

export const endedSessions = named("EndedSessions", () => z.object({ ended: count() }));
export type EndedSessions = AnswerOf<typeof endedSessions>;

/** False: there was none of this id. */
export const removedPasskey = named("RemovedPasskey", () => z.object({ removed: z.boolean() }));
export type RemovedPasskey = AnswerOf<typeof removedPasskey>;

/** `state`: sent, failed, or how the review ended. `fault`: why a notice did not go out. */
export const noticeList = named("NoticeList", () =>
  z.object({
    notices: list(
      z.object({
        at: time(),
        channel: text(),
        reviewer: text(),
        run: text(),
        gate: z.enum(["request", "response"]),
        link: z.url().nullable(),
        state: text(),
        fault: text().exactOptional(),
      }),
    ),
  }),
);
export type NoticeList = AnswerOf<typeof noticeList>;
