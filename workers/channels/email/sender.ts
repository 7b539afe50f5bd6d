// What every sender of mail can do, and what it answers.

import type { Mail } from "../../../shared/channels/email-rules.ts";
import type { Sent } from "../channel.ts";

export type MailSender = {
  /**
   * Takes a mail that keeps the rules of mail-rules.ts. May be called twice for one mail, with the same key. `receipt` of what it
   * answers is the `Message-ID` that the mail got, where it is known.
   */
  send(mail: Mail, idempotencyKey: string): Promise<Sent>;
};
