// Notices on the devices that a reviewer turned on in their inbox, by Web Push (RFC 8030, 8291,
// 8292). The devices are in the reviewer's inbox object, which sends; the policy says only that
// there are any. A device shows one notice of each review: a change replaces it, and so does its
// outcome.

import { digestOf } from "../../../shared/encoding.ts";
import type { PushRenderInput, PushText } from "../../../shared/channels/push/push-renderers.ts";
import { languageFor } from "../../../shared/channels/words/languages.ts";
import type { Reviewer } from "../../../shared/policy/evaluate.ts";
import { canSignIn } from "../../../shared/policy/rules.ts";
import { addressDigest, inboxNameOf } from "../../../shared/review/inbox.ts";
import type { Env } from "../../platform/env.ts";
import { settingsOf } from "../../platform/settings.ts";
import { inboxUrl } from "../../platform/urls.ts";
import type { PushInput } from "../../stubs/inbox-calls.ts";
import { configStub, inboxStub } from "../../stubs/stubs.ts";
import type { Channel, ChannelAdapter, DeliveryResult, Notice, NoticeWhy } from "../channel.ts";
import { fromPages } from "../from-pages.ts";

/** What the service worker reads (workers/ui/inbox/push-worker.ts). */
type PushedNotice = PushText & {
  readonly url: string;
  readonly tag: string;
  /** Replaces what is shown without a sound. */
  readonly quiet: boolean;
};

/**
 * A message that is about no review, and one that replaces a notice, is kept so long for a device
 * that is off.
 */
const keptSeconds = 24 * 3_600;
const mostInDigest = 50;

/** RFC 8030, 5.4: at most 32 characters. It tells a push service nothing of what it is about. */
const topicOf = (kind: string, about: object): string => digestOf("countersign/push-topic/v1", { kind, about }).slice(0, 32);

/** Whether the reviewer hears of it: their notice never says how many have approved. */
const isShown = (why: NoticeWhy): boolean => why !== "voted";

function pushChannel(env: Env): Channel | undefined {
  const { publicUrl } = settingsOf(env);
  if (publicUrl === undefined) return undefined;
  const home = inboxUrl(publicUrl);

  type Sending = Pick<PushInput, "id" | "topic" | "ttlSeconds" | "until" | "withdraws"> &
    Pick<PushedNotice, "quiet"> & { readonly url: string | null };
  const send = async (
    reviewer: Reviewer | undefined,
    asked: PushRenderInput,
    { quiet, url, ...sending }: Sending,
  ): Promise<DeliveryResult> => {
    const { name, email, language } = reviewer ?? {};
    if (name === undefined || email === undefined) return { kind: "failed", why: "notConfigured" };
    const words = await fromPages(env.PAGES.channels.push.renderers.message(asked, languageFor(language)));
    const link = url ?? words.url ?? home;
    const textOf = (text: PushText): string => JSON.stringify({ ...text, url: link, tag: sending.topic, quiet } satisfies PushedNotice);
    const message = { ...sending, address: addressDigest(email), text: textOf(words.full), brief: textOf(words.brief) };
    const answer = await inboxStub(env, inboxNameOf(name)).push(message);
    return answer.kind === "sent" ? { kind: "sent", receipt: null } : answer;
  };
  /** The topic, and how long it counts, of what is about one review. */
  const about = ({ run, link: { gate }, reviewer, view, idempotencyKey: id }: Notice) => ({
    id,
    topic: topicOf("review", { run, gate, reviewer: reviewer.name }),
    until: view.deadlineAt,
  });

  return {
    name: "push",
    reaches: (reviewer) => reviewer.push !== undefined && canSignIn(reviewer),
    async send(notice) {
      const { reviewer, view, excerpt, why, url } = notice;
      if (!isShown(why)) return { kind: "sent", receipt: null };
      const ttlSeconds = Math.max(1, Math.ceil((view.deadlineAt - view.now) / 1_000));
      const asked = { kind: why === "reminder" ? "reminder" : "review", view, excerpt } as const;
      return send(reviewer, asked, { ...about(notice), url, ttlSeconds, quiet: why === "changed", withdraws: false });
    },
    ended: (notice) =>
      send(
        notice.reviewer,
        { kind: "ended", view: notice.view },
        { ...about(notice), url: null, ttlSeconds: keptSeconds, quiet: true, withdraws: true },
      ),
    say: ({ reviewer, said, idempotencyKey: id }) =>
      send(reviewer, { kind: "plain", said }, { ...plain("message", id), url: null, withdraws: false, quiet: false }),
    digest: {
      most: mostInDigest,
      address: ({ name }) => name,
      // What replaces a notice of its own review is no other message.
      counts: ({ why }, what) => what === "send" && why !== "changed" && isShown(why),
      send: async (entries, id) =>
        send(
          entries[0]?.reviewer,
          { kind: "digest", entries },
          { ...plain("digest", id), topic: topicOf("digest", {}), url: home, withdraws: false, quiet: false },
        ),
    },
  };
}

const plain = (kind: string, id: string) => ({ id, topic: topicOf(kind, { id }), ttlSeconds: keptSeconds, until: Date.now() });

export const pushAdapter: ChannelAdapter = {
  open: pushChannel,
  issues: () => [],
  doctor: {
    check: "push",
    isUsed: (env) => configStub(env).hasPushKey(),
    ask: async () => ({ ok: true, says: { key: "pushReady" } }),
    remedy: () => ({ key: "pushRemedy" }),
  },
};
