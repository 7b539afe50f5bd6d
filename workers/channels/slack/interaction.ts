// Parses what Slack posts when a member presses a button or submits a modal: only the members that
// we use.
//
// Source: https://docs.slack.dev/reference/interaction-payloads/block_actions-payload and
// …/view-interactions-payload.

import { parseJson } from "../../../shared/json/values.ts";
import * as z from "zod";

const id = z.string().min(1).max(60);
const who = { team: z.object({ id }), user: z.object({ id, team_id: id.optional() }), api_app_id: id };

const blockActions = z.object({
  ...who,
  type: z.literal("block_actions"),
  trigger_id: z.string().min(1).max(500).optional(),
  container: z.object({ channel_id: id.optional(), message_ts: id.optional() }),
  actions: z.array(z.object({ action_id: z.string(), value: z.string().optional() })).min(1),
});

const viewSubmission = z.object({
  ...who,
  type: z.literal("view_submission"),
  view: z.object({
    private_metadata: z.string(),
    state: z.object({
      values: z.record(
        z.string(),
        z.record(
          z.string(),
          z.object({ value: z.string().nullish(), selected_options: z.array(z.object({ value: z.string() })).nullish() }),
        ),
      ),
    }),
  }),
});

export type SlackPress = z.infer<typeof blockActions>;
export type SlackSubmission = z.infer<typeof viewSubmission>;
/** `other`: a payload that we do not act on, such as a closed modal. */
type SlackInteraction = SlackPress | SlackSubmission | { readonly type: "other" };

const typed = z.object({ type: z.string() });

/** Null where it is no payload, or does not have its type's shape. */
export function parseInteraction(text: string): SlackInteraction | null {
  const value = parseJson(text);
  const any = typed.safeParse(value);
  if (!any.success) return null;
  switch (any.data.type) {
    case "block_actions":
      return blockActions.safeParse(value).data ?? null;
    case "view_submission":
      return viewSubmission.safeParse(value).data ?? null;
    default:
      return { type: "other" };
  }
}
