// Who may see which page of an inbox: a reader whose session the inbox object confirms, and only
// reviews that they were asked for.

import { readJsonOf } from "../../../shared/json/json-of.ts";
import type { Gate } from "../../../shared/model/gate.ts";
import { formFields } from "../../../shared/review/form.ts";
import type { KnownBy } from "../../../shared/receipt/known.ts";
import { judgeNonce } from "../../../shared/review/link.ts";
import { inboxReviewUrl, pathOfUrl } from "../../platform/urls.ts";
import { inboxLink } from "../../stubs/run-calls.ts";
import { inboxStub, runStub } from "../../stubs/stubs.ts";
import type { AppContext } from "../app-context.ts";
import { isFlooding } from "../auth.ts";
import { errorPage } from "../page-answer.ts";
import { type Presented, noSuchLink, readForm } from "../review/review-link.ts";
import { type InboxSettings, type Reader, inboxSettings, readerOf } from "./reader.ts";
import { signInPage } from "./sign-in.ts";

/**
 * `count`: of the reviews that wait for them. `since`: when they signed in, Unix milliseconds; null
 * where nobody says. `passkeys`: how many they have.
 */
export type AdmittedReader = Reader & {
  readonly count: number;
  readonly known: KnownBy;
  readonly since: number | null;
  readonly passkeys: number;
};

/** The reader; or the answer to whoever is not signed in. */
export async function admittedReader(c: AppContext, to: string | null = null): Promise<AdmittedReader | Response> {
  const settings = inboxSettings(c);
  if (settings === null) return noSuchLink(c);
  const reader = await signedIn(c, settings, to);
  if (reader instanceof Response) return reader;
  const session = await inboxStub(c.env, reader.inbox).session(visitorOf(reader));
  if (session === null) return signInInstead(c, settings, to);
  const { count, way, since, passkeys } = session;
  return { ...reader, count, known: way === null ? { how: "access" } : readJsonOf(way), since: since ?? reader.accessSince, passkeys };
}

const smallForm = 10_000;

/**
 * The signed-in reader, and a form of a page of theirs whose nonce was made for `what`; or the
 * answer in its place. For buttons that are harmless, however early or late they are pressed.
 */
export async function readerForm(
  c: AppContext,
  what: "connections" | "availability" | "passkeys" | "devices",
): Promise<{ readonly reader: AdmittedReader; readonly fields: URLSearchParams } | Response> {
  const reader = await admittedReader(c);
  if (reader instanceof Response) return reader;
  const body = await readForm(c, reader, smallForm);
  if (body instanceof Response) return body;
  const fields = new URLSearchParams(body.text);
  const subject = { token: reader.bound, version: 0, digest: what };
  const judged = judgeNonce(reader.settings.keys, subject, fields.get(formFields.nonce) ?? "", Date.now());
  return judged === "forged" ? errorPage(c, "crossSite", 403) : { reader, fields };
}

export const visitorOf = ({ visitor: { address, session } }: Reader) => ({ address, session });

/**
 * The reader by the policy and their cookie or token. The inbox object is yet to be asked about the
 * session.
 */
export async function signedIn(c: AppContext, settings: InboxSettings, to: string | null = null): Promise<Reader | Response> {
  const reader = await readerOf(c, settings);
  if (typeof reader === "string") {
    if (await isFlooding(c, "sign-ins")) return errorPage(c, "tooMany", 429);
    return signInInstead(c, settings, to, reader === "stranger");
  }
  return (await isFlooding(c, `inbox ${reader.inbox}`)) ? errorPage(c, "tooMany", 429) : reader;
}

/**
 * The page to sign in, in place of what was asked for. A form that was posted was not carried out.
 */
export const signInInstead = (c: AppContext, settings: InboxSettings, to: string | null, isStranger = false): Promise<Response> =>
  signInPage(c, settings, {
    to,
    ...(isStranger ? { problem: "stranger" } : {}),
    status: c.req.method === "POST" ? 403 : 200,
  });

/** A review that this reader was asked for; null for any other. */
export async function presentedTo(
  c: AppContext,
  { person, inbox, visitor, bound, settings, home, count, known, passkeys }: AdmittedReader,
  { run, gate }: { readonly run: string; readonly gate: Gate },
): Promise<Presented | null> {
  const reviewer = await runStub(c.env, run).place(gate, person.name, person.email);
  if (reviewer === null) return null;
  const url = inboxReviewUrl(home, gate, run);
  return {
    run,
    gate,
    reviewer,
    link: inboxLink,
    token: `inbox/${gate}/${run}/${bound}`,
    url,
    action: pathOfUrl(url),
    settings,
    inbox: { path: pathOfUrl(home), count },
    known,
    passkeys: { inbox, address: visitor.address, count: passkeys },
    language: person.language,
    claims: null,
  };
}
