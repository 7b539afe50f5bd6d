// Whether reviewers have any way to sign in to their inbox: a link by email, Cloudflare Access, or
// an issuer of the issuers document.

import { canSendEmail } from "./email/email-channel.ts";
import type { Env } from "../platform/env.ts";
import { settingsOf } from "../platform/settings.ts";
import { type Background, issuersOf } from "../stores/documents.ts";

/** @param now Unix milliseconds. Throws as `issuersOf` does. */
export async function isSignInSetUp(env: Env, now: number, background: Background): Promise<boolean> {
  if (settingsOf(env).access !== undefined || canSendEmail(env)) return true;
  const { issuers } = await issuersOf(env, now, background);
  return Object.values(issuers).some(({ signIn }) => signIn !== undefined);
}
