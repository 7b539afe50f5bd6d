// What every sender of email can do, and what it answers.

import type { Mail } from "../../../shared/channels/email/email-rules.ts";
import type { DeliveryResult } from "../channel.ts";

export type MailSender = {
  /**
   * Sends an email without `mailIssues`. May be called twice for one, with the same key. `receipt`
   * is its `Message-ID`, where known.
   */
  send(mail: Mail, idempotencyKey: string): Promise<DeliveryResult>;
};
