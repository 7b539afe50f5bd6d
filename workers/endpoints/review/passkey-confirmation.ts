// The passkey that confirms a decision, where a rule wants one: its challenge is made of what was
// shown and of all that the form says, so that it is void for any other form. Nothing is stored
// until the decision is.

import { readJsonOf } from "../../../shared/json/json-of.ts";
import { type PasskeyProof, decisionDigest, passkeyChallenge, passkeyMs } from "../../../shared/receipt/passkey-proof.ts";
import { type GetOptions, passkeyFields } from "../../../shared/review/passkey-form.ts";
import { judgeNonce } from "../../../shared/review/link.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import type { StoredPasskey } from "../../stubs/inbox-calls.ts";
import type { Submission } from "../../stubs/run-calls.ts";
import { inboxStub } from "../../stubs/stubs.ts";
import type { AppContext } from "../app-context.ts";
import { getOptions, passkeySite, postedAssertion } from "../inbox/passkey-site.ts";
import { type Presented, nonceOf } from "./review-link.ts";

/** What a nonce of a confirmation is made for: no form's own nonce passes for one. */
const subjectOf = (digest: string): string => `passkey ${digest}`;

const signedBy = ({ gate }: Presented, submission: Submission, nonce: string): PasskeyProof["signed"] => {
  const { version, digest } = submission;
  return { gate, version, digest, decision: decisionDigest(submission), nonce };
};

type Holder = NonNullable<Presented["passkeys"]>;

const passkeysOf = async (c: AppContext, { inbox, address }: Holder): Promise<readonly StoredPasskey[]> =>
  readJsonOf(await inboxStub(c.env, inbox).passkeys(address));

/** What the browser asks the passkey for; null where the reader has none. */
export async function passkeyQuestion(
  c: AppContext,
  link: Presented,
  submission: Submission,
): Promise<{ readonly nonce: string; readonly options: GetOptions } | null> {
  const known = link.passkeys === null ? [] : await passkeysOf(c, link.passkeys);
  if (known.length === 0) return null;
  const nonce = nonceOf(link, submission.version, subjectOf(submission.digest));
  const challenge = passkeyChallenge(link.run, signedBy(link, submission, nonce));
  return { nonce, options: getOptions(passkeySite(link.settings.publicUrl), challenge, known) };
}

/** Of a form that has none: null. */
export async function confirmationIn(
  c: AppContext,
  link: Presented,
  submission: Submission,
  fields: URLSearchParams,
): Promise<PasskeyProof | null | "late" | "failed" | "unreachable"> {
  const text = fields.get(passkeyFields.proof) ?? "";
  if (text === "" || link.passkeys === null) return null;
  const nonce = fields.get(passkeyFields.nonce) ?? "";
  const { settings, token, passkeys: holder } = link;
  const subject = { token, version: submission.version, digest: subjectOf(submission.digest) };
  const judged = judgeNonce(settings.keys, subject, nonce, Date.now(), passkeyMs);
  if (judged === "late" || judged === "forged") return judged === "late" ? "late" : "failed";
  const posted = postedAssertion(text);
  const passkey = (await passkeysOf(c, holder)).find(({ id }) => id === posted?.id);
  if (posted === null || passkey === undefined) return "failed";
  const { id: credential, ...assertion } = posted;
  const signed = signedBy(link, submission, nonce);
  const { publicKey, counter } = passkey;
  const challenge = passkeyChallenge(link.run, signed);
  const asked = { ...passkeySite(settings.publicUrl), challenge, assertion, id: credential, publicKey, counter };
  try {
    const next = await c.env.TOOLS.confirmed(asked);
    const { inbox, address } = holder;
    const isUsed = next !== null && (await inboxStub(c.env, inbox).usePasskey({ address, id: credential, counter: next }));
    return isUsed ? { ...assertion, credential, signed } : "failed";
  } catch (error) {
    logEvent("tools.failed", { error: errorClass(error) });
    return "unreachable";
  }
}
