// What every channel of notices can do, and which ones this gateway has.

import type { Reviewer } from "../../shared/policy/evaluate.ts";
import type { LinkChannel } from "../../shared/review/link.ts";
import type { Env } from "../env.ts";
import type { LinkRow } from "../objects/run-store.ts";
import { settingsOf } from "../settings.ts";
import { outboxChannel } from "./outbox.ts";

/** One review that one reviewer is to hear of. Its link is made from the row when it is sent, never stored. */
export type Notice = { readonly run: string; readonly link: LinkRow; readonly reviewer: Reviewer; readonly at: number };

export type Channel = {
  readonly name: LinkChannel;
  /** Whether this channel has an address of the reviewer. */
  reaches(reviewer: Reviewer): boolean;
  /** True where the notice was taken. May be called twice for one notice; false or an error is one of the attempts after which the channel counts as failed. */
  send(notice: Notice): Promise<boolean>;
  /** The review is over: what was sent says so. */
  ended(notice: Notice, how: string): Promise<void>;
};

/** The channels that are configured. Without PUBLIC_URL there are none: a link could not be built. */
export function openChannels(env: Env): Channel[] {
  const { publicUrl, outbox } = settingsOf(env);
  if (publicUrl === undefined) return [];
  return outbox ? [outboxChannel(env)] : [];
}
