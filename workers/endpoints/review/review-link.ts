// The review link of a request: whether it is genuine and whether it is over; and the checks that
// every request with one must pass. It wakes no object, and decides nothing.

import type { Gate } from "../../../shared/model/gate.ts";
import type { KnownBy } from "../../../shared/receipt/known.ts";
import { type LinkClaims, formNonce, linkId, nonceRandomLength, parseLinkToken } from "../../../shared/review/link.ts";
import { runIdOf } from "../../../shared/sealed-id.ts";
import type { InboxMark } from "../../ui/document.tsx";
import { readBody } from "../../http/body.ts";
import { type Settings, settingsOf } from "../../platform/settings.ts";
import { reviewFormAction, reviewUrl } from "../../platform/urls.ts";
import { isFlooding } from "../auth.ts";
import type { AppContext } from "../app-context.ts";
import { answerPage, errorPage } from "../page-answer.ts";

/**
 * A form repeats every text that may be edited, at up to nine bytes a character: several times the
 * largest prompt.
 */
const formLimitBytes = 30_000_000;

/** A reviewer before one gate of a run: by a link's token, or signed in to their inbox. */
export type Presented = {
  readonly run: string;
  readonly gate: Gate;
  /** The reviewer's place in the run's list. */
  readonly reviewer: number;
  /** The link's id; `inboxLink` for a reviewer who is signed in. */
  readonly link: string;
  /** What the page's nonces are bound to: the token, or the session with the review. */
  readonly token: string;
  /** The page's own address, and its path for forms. */
  readonly url: string;
  readonly action: string;
  readonly settings: Settings & { readonly publicUrl: string };
  /** The inbox of a reviewer who is signed in; null on a page that a token opened. */
  readonly inbox: InboxMark | null;
  readonly known: KnownBy;
  /**
   * Whose passkeys may confirm a decision here: their inbox, `addressDigest`, and how many there
   * are. Null at a link.
   */
  readonly passkeys: { readonly inbox: string; readonly address: string; readonly count: number } | null;
  /** The reviewer's language tag, where it is known before the page is made. */
  readonly language: string | undefined;
  /** The token's; null for a reviewer who is signed in. */
  readonly claims: LinkClaims | null;
};

export type PresentedLink = Presented & {
  readonly claims: LinkClaims;
  readonly isOver: boolean;
};

/**
 * The link of the request, or the answer to one without a genuine link: 404, or 429 where its
 * address keeps sending forged ones. A genuine link has a count of its own, so that others at that
 * address cannot lock a reviewer out.
 */
export async function admittedLink(c: AppContext): Promise<PresentedLink | Response> {
  const link = presentedLink(c);
  const tooMany = await isFlooding(c, link === null ? "made-up links" : `link ${linkId(link.claims)}`);
  if (tooMany) return errorPage(c, "tooMany", 429);
  return link ?? noSuchLink(c);
}

/** The link in the request's path, or null where its token is not genuine. */
function presentedLink(c: AppContext): PresentedLink | null {
  const settings = settingsOf(c.env);
  const token = c.req.param("token") ?? "";
  const claims = parseLinkToken(settings.keys, token);
  const { publicUrl } = settings;
  if (claims === undefined || publicUrl === undefined) return null;
  const isOver = Date.now() >= claims.expiresAtSeconds * 1000;
  const { gate, reviewer } = claims;
  return {
    run: runIdOf(settings.keys, claims.runRandom),
    gate,
    reviewer,
    link: linkId(claims),
    token,
    url: reviewUrl(publicUrl, token),
    action: reviewFormAction(publicUrl, token),
    settings: { ...settings, publicUrl },
    inbox: null,
    known: { how: "link" },
    passkeys: null,
    language: undefined,
    claims,
    isOver,
  };
}

/** A new nonce for a form of this page. Nothing is stored. */
export const nonceOf = ({ settings, token }: Pick<Presented, "settings" | "token">, version: number, digest: string): string =>
  formNonce(settings.keys, { token, version, digest }, Date.now(), crypto.getRandomValues(new Uint8Array(nonceRandomLength)));

/** The body of a form that our own page sent, or the answer to any other request. */
export async function readForm(
  c: AppContext,
  { settings }: Pick<Presented, "settings">,
  mostBytes = formLimitBytes,
): Promise<{ readonly text: string } | Response> {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(c.req.header("Content-Type") ?? "")) return errorPage(c, "wrongType", 415);
  if (!isSameOrigin(c.req.raw.headers, settings.publicUrl)) return errorPage(c, "crossSite", 403);
  const body = await readBody(c.req.raw, mostBytes);
  if (body === "tooLarge") return errorPage(c, "tooLarge", 413);
  return body === "notUtf8" ? errorPage(c, "badRequest", 400) : { text: body.text };
}

/** One page for every token without a review: forged, damaged, revoked or deleted. */
export const noSuchLink = (c: AppContext): Promise<Response> => answerPage(c, { kind: "noSuchLink" }, 404);

/**
 * Whether a form was sent from our own page: by `Sec-Fetch-Site`, which no page can set, or else by
 * `Origin`. False without either, and with `Origin: null`.
 */
function isSameOrigin(headers: Headers, publicUrl: string): boolean {
  const site = headers.get("Sec-Fetch-Site");
  if (site !== null) return site === "same-origin";
  return headers.get("Origin") === originOf(publicUrl);
}

export const originOf = (publicUrl: string): string => new URL(publicUrl).origin;
