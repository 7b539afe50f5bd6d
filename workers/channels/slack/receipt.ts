// Where a message was posted: needed to change it, and compared with every press of its buttons.

import { parseJson } from "../../../shared/json/values.ts";
import * as z from "zod";

const id = z.string().min(1).max(40);

const receiptSchema = z.strictObject({
  /** A direct message's own channel, or the channel of the policy. */
  channel: id,
  ts: id,
  /** The workspace that the bot token belongs to. */
  team: id,
  /** The app that posted, where Slack named it. */
  app: id.nullable(),
});

export type SlackReceipt = z.infer<typeof receiptSchema>;

/** Null where the notice has none, or one of another shape. */
export function parseReceipt(text: string | null): SlackReceipt | null {
  const parsed = receiptSchema.safeParse(text === null ? null : parseJson(text));
  return parsed.success ? parsed.data : null;
}

const posted = z.object({
  channel: id,
  ts: id,
  message: z.object({ app_id: id.optional(), bot_profile: z.object({ app_id: id.optional() }).optional() }).optional(),
});

/**
 * The receipt of what `chat.postMessage` answered, as text; null where the answer does not say
 * where the message is.
 */
export function receiptOf(answer: unknown, team: string): string | null {
  const parsed = posted.safeParse(answer);
  if (!parsed.success) return null;
  const { channel, ts, message } = parsed.data;
  const receipt: SlackReceipt = { channel, ts, team, app: message?.bot_profile?.app_id ?? message?.app_id ?? null };
  return JSON.stringify(receipt);
}
