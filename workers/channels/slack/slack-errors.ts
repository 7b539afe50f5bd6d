// What Slack's answers mean for a notice. Source: the errors of chat.postMessage, chat.update and
// chat.postEphemeral at https://docs.slack.dev/reference/methods.

import type { NoticeError } from "../../../shared/notice-channels.ts";
import type { DeliveryResult } from "../channel.ts";
import type { SlackAnswer } from "./api.ts";

const lasting: Readonly<Record<string, NoticeError>> = {
  account_inactive: "unauthorized",
  invalid_auth: "unauthorized",
  missing_scope: "unauthorized",
  no_permission: "unauthorized",
  not_authed: "unauthorized",
  org_login_required: "unauthorized",
  token_expired: "unauthorized",
  token_revoked: "unauthorized",
  access_denied: "notAllowed",
  cannot_dm_bot: "notAllowed",
  ekm_access_denied: "notAllowed",
  is_archived: "notAllowed",
  messages_tab_disabled: "notAllowed",
  not_in_channel: "notAllowed",
  team_access_not_granted: "notAllowed",
  channel_not_found: "notFound",
  user_disabled: "notFound",
  user_not_found: "notFound",
  user_not_in_channel: "notFound",
  cant_update_message: "notFound",
  edit_window_closed: "notFound",
  message_not_found: "notFound",
  invalid_arguments: "invalid",
  invalid_blocks: "invalid",
  invalid_blocks_format: "invalid",
  msg_blocks_too_long: "invalid",
  msg_too_long: "invalid",
  no_text: "invalid",
};

/**
 * An error that no attempt can change is `failed`; every other, also one that this list does not
 * have, is worth another attempt.
 */
export function sentOf(answer: Exclude<SlackAnswer, { kind: "ok" }>): DeliveryResult {
  switch (answer.kind) {
    case "error": {
      if (answer.error.startsWith("restricted_action")) return { kind: "failed", why: "notAllowed" };
      const why = Object.hasOwn(lasting, answer.error) ? lasting[answer.error] : undefined;
      return why === undefined ? { kind: "again", why: "unavailable" } : { kind: "failed", why };
    }
    case "rateLimited":
      return { kind: "again", why: "rateLimited", ...(answer.afterMs === undefined ? {} : { afterMs: answer.afterMs }) };
    case "unavailable":
      return { kind: "again", why: "unavailable" };
    default:
      return answer satisfies never;
  }
}

const isError = (answer: SlackAnswer, errors: readonly string[]): boolean => answer.kind === "error" && errors.includes(answer.error);

/** The message no longer exists, or can no longer be changed. */
export const isGone = (answer: SlackAnswer): boolean => isError(answer, ["message_not_found", "cant_update_message", "edit_window_closed"]);

/** Slack refuses the message's size or shape. */
export const isTooMuch = (answer: SlackAnswer): boolean => isError(answer, ["invalid_blocks", "msg_blocks_too_long", "msg_too_long"]);
