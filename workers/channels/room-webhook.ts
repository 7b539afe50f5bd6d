// Notices to rooms of a chat, each through a webhook that the chat gives for it: one message to a
// room, with that room's own link. It reaches no person, nothing can be decided in it, and a
// message cannot be changed, so the outcome is a second one.
//
// Its one setting is `<CHANNEL>_<NAME>_URL`, with a name of the policy's own for each room.

import type { ChatRenderInput } from "../../shared/channels/chat-message.ts";
import { type Language, languageFor } from "../../shared/channels/words/languages.ts";
import type { NoticeChannel } from "../../shared/notice-channels.ts";
import { err, ok, type Result } from "../../shared/result.ts";
import type { Reviewer } from "../../shared/policy/evaluate.ts";
import { type DoctorPhrase, issuesText } from "../../shared/words/doctor.ts";
import type { Env } from "../platform/env.ts";
import { lookupIn } from "../platform/lookup.ts";
import { type Channel, type ChannelAdapter, type ChannelFinding, type DeliveryResult, isPosted } from "./channel.ts";
import { exchange } from "./channel-exchange.ts";
import { fromPages } from "./from-pages.ts";
import { deliveryOf, namesSet, serviceAddress } from "./http-service.ts";

type Room = {
  /** The message as the chat takes it, which the pages Worker makes. */
  readonly message: (channels: Env["PAGES"]["channels"], asked: ChatRenderInput, language: Language) => PromiseLike<object>;
  /** Reviews in one message: their links take about 250 bytes each. */
  readonly mostInDigest: number;
};

const sent: DeliveryResult = { kind: "sent", receipt: null };

/** The adapter of a chat whose rooms take messages at addresses of their own. */
export function roomAdapter(name: NoticeChannel, { message, mostInDigest }: Room): ChannelAdapter {
  const prefix = name.toUpperCase();
  const chat = { key: `channel.${name}` } as const;
  const variable = new RegExp(`^${prefix}_([A-Z][A-Z0-9_]{0,30})_URL$`);
  const variableOf = (room: string): string => `${prefix}_${room}_URL`;
  const namesIn = (env: Env): string[] => namesSet(env, variable);

  /** The address, which has what lets the gateway post in it. The error has neither. */
  function addressOf(env: Env, room: string): Result<string, DoctorPhrase> {
    const url = serviceAddress(lookupIn(env)(variableOf(room))?.trim() ?? "", env);
    return url === null ? err({ key: "roomUrl", values: { variable: variableOf(room), chat } }) : ok(url.href);
  }

  const issues = (env: Env): DoctorPhrase[] =>
    namesIn(env).flatMap((room) => {
      const address = addressOf(env, room);
      return address.ok ? [] : [address.error];
    });

  /** Undefined where no room is configured correctly. */
  function open(env: Env): Channel | undefined {
    const addresses = new Map(
      namesIn(env).flatMap((room) => {
        const address = addressOf(env, room);
        return address.ok ? [[room, address.value] as const] : [];
      }),
    );
    if (addresses.size === 0) return undefined;
    const post = async (reviewer: Reviewer | undefined, asked: ChatRenderInput): Promise<DeliveryResult> => {
      const url = addresses.get(reviewer?.[name] ?? "");
      if (url === undefined) return { kind: "failed", why: "notConfigured" };
      return postTo(url, await fromPages(message(env.PAGES.channels, asked, languageFor(reviewer?.language))));
    };
    return {
      name,
      reaches: (reviewer) => addresses.has(reviewer[name] ?? ""),
      async send({ view, excerpt, url, why, reviewer }) {
        // The link's page shows the change.
        if (!isPosted(why)) return sent;
        const input = { view, excerpt, url, isRoom: true };
        const first = await post(reviewer, { kind: why === "reminder" ? "reminder" : "review", input });
        const isTooMuch = first.kind === "failed" && first.why === "invalid" && why !== "reminder";
        return isTooMuch ? post(reviewer, { kind: "brief", input }) : first;
      },
      say: ({ reviewer, said }) => post(reviewer, { kind: "plain", said }),
      ended: async ({ view, reviewer, link }) => (link.notice === "sent" ? post(reviewer, { kind: "ended", view }) : sent),
      digest: {
        most: mostInDigest,
        address: (reviewer) => reviewer[name] ?? "",
        counts: ({ why, link }, what) => (what === "send" ? isPosted(why) : link.notice === "sent"),
        send: async (entries) => post(entries[0]?.reviewer, { kind: "digest", entries }),
      },
    };
  }

  /** Only a message can test a room, and the doctor posts none. */
  async function ask(env: Env): Promise<ChannelFinding> {
    const names = namesIn(env);
    const wrong = issues(env);
    if (wrong.length > 0) return { ok: false, says: issuesText(wrong) };
    if (names.length === 0) return { ok: true, says: { key: "chatNotSetUp", values: { chat } } };
    return { ok: true, says: { key: "roomSetUp", values: { chat, names: names.join(", "), member: name } } };
  }

  return {
    open,
    issues,
    doctor: {
      check: name,
      ask,
      remedy: (room) => ({ key: "roomRemedy", values: { chat, variable: variableOf(room) } }),
      // `issues` reports a variable that is set wrongly.
      unset: (env, room) => (namesIn(env).includes(room) ? null : { check: `${name} ${room}`, variables: [variableOf(room)] }),
    },
  };
}

async function postTo(url: string, message: object): Promise<DeliveryResult> {
  const headers = { "Content-Type": "application/json; charset=utf-8", "User-Agent": "countersign" };
  return deliveryOf(await exchange({ url, method: "POST", headers, body: JSON.stringify(message) }));
}
