// A gateway whose relay lets clients in by OAuth: a server of 2025-11-25 behind it, a person who
// allows and approves, and their email.

import type { MailApi } from "../../support/mail-api.ts";
import { startMailServer } from "../../support/mail-server.ts";
import type { Served } from "../../support/serve.ts";
import { serveOld } from "./old-server.ts";
import { type RelayOffice, openGates, relayOffice } from "./relay-office.ts";

/** The person's email address. */
export const address = "ada@example.org";

export type OAuthOffice = RelayOffice & { readonly mail: MailApi & Served };

/** The server is called "old". A person approves each call of a tool. */
export async function oauthOffice(): Promise<OAuthOffice> {
  const [mail, old] = await Promise.all([startMailServer(), serveOld()]);
  const office = await relayOffice({
    EMAIL_FROM: "Countersign <reviews@example.com>",
    RESEND_API_KEY: mail.keys.sending,
    RESEND_BASE_URL: mail.url,
  });
  await office.serve({ old: { url: old.url, allowPrivate: true, connections: { reviewers: ["everyone"] } } });
  await office.rule({
    ...openGates,
    rules: [
      {
        name: "calls",
        when: { subject: "toolCall" },
        then: { request: "review", response: "allow", reviewers: ["everyone"], deadlineSeconds: 600, selfApproval: true },
      },
    ],
    reviewers: { everyone: [{ name: "Ada", email: address }] },
  });
  return { ...office, mail, close: async () => void (await Promise.all([office.close(), old.close(), mail.close()])) };
}
