// The page of an expired link: its review's state, without the content, and a form that sends a new
// link to the address on file. It decides nothing, and a GET writes nothing.

import { readJsonOf } from "../../../shared/json/json-of.ts";
import { formFields, renewAct } from "../../../shared/review/form.ts";
import { judgeNonce, linkId } from "../../../shared/review/link.ts";
import { runStub } from "../../stubs/stubs.ts";
import type { ExpiredLinkError } from "../../ui/expired-pages.tsx";
import type { AppContext } from "../app-context.ts";
import { answerPage, errorPage } from "../page-answer.ts";
import { type PresentedLink, noSuchLink, nonceOf } from "./review-link.ts";

/** What the form's nonce is bound to beside the token, in place of a version of the content. */
const subject = { version: 0, digest: "renew" } as const;

type Status = 403 | 409 | 410 | 429;

/** The page of an expired link; 404 where the link was revoked or its run is no longer kept. */
export async function expiredLinkPage(
  c: AppContext,
  link: PresentedLink,
  why: ExpiredLinkError | null = null,
  status: Status = 410,
): Promise<Response> {
  const { claims, run } = link;
  const text = await runStub(c.env, run).expiredLink(claims.gate, claims.reviewer, linkId(claims));
  if (text === null) return noSuchLink(c);
  const { open, state } = readJsonOf(text);
  const input = {
    untilSeconds: claims.expiresAtSeconds,
    state,
    open,
    action: link.action,
    nonce: nonceOf(link, subject.version, subject.digest),
    ...(why === null ? {} : { error: why }),
  };
  return answerPage(c, { kind: "expiredLink", input }, status);
}

/** Answers that page's form. Any other form is too late: it decides nothing. */
export async function answerExpiredForm(c: AppContext, link: PresentedLink, body: string): Promise<Response> {
  const { token, claims, run, settings } = link;
  const fields = new URLSearchParams(body);
  const nonces = fields.getAll(formFields.nonce);
  const acts = fields.getAll(formFields.act);
  if (nonces.length > 1 || acts.length > 1) return errorPage(c, "badRequest", 400);
  if (acts[0] !== renewAct) return expiredLinkPage(c, link, "decided");
  const nonce = judgeNonce(settings.keys, { token, ...subject }, nonces[0] ?? "", Date.now());
  if (nonce !== "good") return expiredLinkPage(c, link, nonce, nonce === "forged" ? 403 : 409);
  const renewed = await runStub(c.env, run).renewLink(claims.gate, claims.reviewer, linkId(claims));
  switch (renewed.kind) {
    case "sent":
      return answerPage(c, { kind: "linkSent", input: { channel: claims.channel } }, 200);
    case "tooOften":
      return expiredLinkPage(c, link, "tooOften", 429);
    case "over":
      return expiredLinkPage(c, link, null, 409);
    case "noSuchLink":
      return noSuchLink(c);
    default:
      return renewed.kind satisfies never;
  }
}
