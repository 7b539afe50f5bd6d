// A reviewer's passkeys: the page that lists them and adds one. The first is added within minutes
// of a sign-in, each further one with one that is there: whoever gets hold of a session or a
// mailbox adds none beside the owner's. An operator alone removes one.

import { Hono } from "hono";
import { digestOf } from "../../../shared/encoding.ts";
import { jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import { objectOf, parseJson } from "../../../shared/json/values.ts";
import { passkeyMs } from "../../../shared/receipt/passkey-proof.ts";
import { formFields } from "../../../shared/review/form.ts";
import { judgeNonce } from "../../../shared/review/link.ts";
import { type CreateOptions, passkeyFields, passkeysTarget } from "../../../shared/review/passkey-form.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import { passkeysUrl, pathOfUrl, paths } from "../../platform/urls.ts";
import type { AddPasskeyInput, AddedPasskey, StoredPasskey } from "../../stubs/inbox-calls.ts";
import { configStub, inboxStub } from "../../stubs/stubs.ts";
import type { NewPasskey } from "../../tools/passkey.ts";
import type { PasskeyProblem } from "../../ui/inbox/passkeys-page.tsx";
import type { App, AppContext } from "../app-context.ts";
import { asPage, pageRefusals, formRefusals } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { answerPage, errorPage } from "../page-answer.ts";
import { answerFault } from "../review/review.ts";
import { type AdmittedReader, admittedReader, readerForm } from "./admitted.ts";
import { signOutForm } from "./inbox.ts";
import { credentialsOf, getOptions, passkeySite, postedAssertion } from "./passkey-site.ts";
import { readerNonce } from "./reader.ts";

export const passkeyRoutes = new Hono<App>();

/** How long after a sign-in a first passkey may be added. */
const freshMs = 10 * 60_000;
const longestName = 60;

const everywhere = { 404: asPage("No PUBLIC_URL is configured"), ...pageRefusals };

const showPasskeys = describe("showPasskeys", {
  summary: "The signed-in reviewer's passkeys, and a form that adds one",
  200: asPage("The page; for whoever is not signed in, the page to sign in"),
  ...everywhere,
});

passkeyRoutes.get(paths.inboxPasskeys, showPasskeys, async (c) => {
  const reader = await admittedReader(c, passkeysTarget);
  return reader instanceof Response ? reader : passkeysPage(c, reader, { isAdded: c.req.query("added") !== undefined });
});

const ofReader = async (c: AppContext, { inbox, visitor }: AdmittedReader): Promise<readonly StoredPasskey[]> =>
  readJsonOf(await inboxStub(c.env, inbox).passkeys(visitor.address));

type Said = { readonly isAdded?: boolean; readonly problem?: PasskeyProblem };

async function passkeysPage(c: AppContext, reader: AdmittedReader, { isAdded = false, problem }: Said): Promise<Response> {
  const { person, home, count } = reader;
  const known = await ofReader(c, reader);
  const nonce = readerNonce(reader, "passkeys");
  const input = {
    action: pathOfUrl(passkeysUrl(home)),
    nonce,
    passkeys: known.map(({ id, name, isSynced, createdAt, usedAt }) => ({ id, name, isSynced, createdAt, usedAt })),
    create: createOptions(reader, known, nonce),
    confirm: known.length === 0 ? null : getOptions(passkeySite(reader.settings.publicUrl), confirmChallenge(reader, nonce), known),
    mayAdd: mayAdd(reader),
    signOut: signOutForm(reader),
    now: Date.now(),
    isAdded,
    ...(problem === undefined ? {} : { problem }),
    reader: person.name,
    inbox: { path: pathOfUrl(home), count },
  };
  const status = problem === undefined ? 200 : problem === "unreachable" ? 503 : 422;
  return answerPage(c, { kind: "passkeys", input }, status, { language: person.language });
}

/** A passkey that is there says who they are, however long ago they signed in. */
const mayAdd = ({ passkeys, since }: AdmittedReader): boolean => passkeys > 0 || (since !== null && Date.now() - since < freshMs);

const createChallenge = ({ inbox }: AdmittedReader, nonce: string): string => digestOf("countersign/passkey-new/v1", { inbox, nonce });
const confirmChallenge = ({ inbox }: AdmittedReader, nonce: string): string => digestOf("countersign/passkey-confirm/v1", { inbox, nonce });

function createOptions(reader: AdmittedReader, known: readonly StoredPasskey[], nonce: string): CreateOptions {
  const { person, inbox, settings } = reader;
  return {
    challenge: createChallenge(reader, nonce),
    rp: { id: passkeySite(settings.publicUrl).rpId, name: "Countersign" },
    user: { id: inbox, name: person.email, displayName: person.name },
    pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: "public-key", alg })),
    excludeCredentials: credentialsOf(known),
    authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
    attestation: "none",
    timeout: passkeyMs,
  };
}

const addPasskey = describe("addPasskey", {
  summary: "The form of that page: adds a passkey that the browser made for it",
  body: { type: "application/x-www-form-urlencoded" },
  303: { description: "Added", headers: { Location: "The page" } },
  403: asPage("From another site, not this session's form, or not signed in"),
  422: asPage("The page, with why it was not added"),
  503: asPage("The page: the passkey could not be checked"),
  ...everywhere,
  ...formRefusals,
});

passkeyRoutes.post(paths.inboxPasskeys, addPasskey, async (c) => {
  const form = await readerForm(c, "passkeys");
  if (form instanceof Response) return form;
  const { reader, fields } = form;
  const problem = await added(c, reader, fields);
  if (problem !== null) return passkeysPage(c, reader, { problem });
  return c.body(null, 303, { Location: `${passkeysUrl(reader.home)}?added`, "Cache-Control": "no-store" });
});

/** Adds it; why it was not, or null. */
async function added(c: AppContext, reader: AdmittedReader, fields: URLSearchParams): Promise<PasskeyProblem | null> {
  const nonce = fields.get(formFields.nonce) ?? "";
  const subject = { token: reader.bound, version: 0, digest: "passkeys" };
  if (judgeNonce(reader.settings.keys, subject, nonce, Date.now(), passkeyMs) === "late") return "late";
  if (!mayAdd(reader)) return "signIn";
  const known = await ofReader(c, reader);
  try {
    const site = passkeySite(reader.settings.publicUrl);
    const response = fields.get(passkeyFields.made) ?? "";
    const made = await c.env.TOOLS.passkey({ ...site, challenge: createChallenge(reader, nonce), response });
    if (made === null) return "failed";
    const confirmed = known.length === 0 ? null : await confirmedBy(c, reader, known, fields);
    if (confirmed === "failed") return "failed";
    const stored = store(c, reader, { nonce, made, response, confirmed, name: nameIn(fields) });
    // A browser that leaves meanwhile does not keep it out of the record.
    c.executionCtx.waitUntil(stored);
    return await stored;
  } catch (error) {
    logEvent("tools.failed", { error: errorClass(error) });
    return "unreachable";
  }
}

/** The passkey that confirms the new one. */
async function confirmedBy(
  c: AppContext,
  reader: AdmittedReader,
  known: readonly StoredPasskey[],
  fields: URLSearchParams,
): Promise<NonNullable<AddPasskeyInput["confirmed"]> | "failed"> {
  const posted = postedAssertion(fields.get(passkeyFields.proof) ?? "");
  const passkey = known.find(({ id }) => id === posted?.id);
  if (posted === null || passkey === undefined) return "failed";
  const { id, publicKey, counter } = passkey;
  const challenge = confirmChallenge(reader, fields.get(formFields.nonce) ?? "");
  const asked = { ...passkeySite(reader.settings.publicUrl), challenge, assertion: posted, id, publicKey, counter };
  const next = await c.env.TOOLS.confirmed(asked);
  return next === null ? "failed" : { id, counter: next };
}

type Checked = Pick<AddPasskeyInput, "nonce" | "confirmed"> & {
  readonly made: NewPasskey;
  readonly response: string;
  readonly name: string;
};

const problems = { usedBefore: "usedBefore", tooMany: "tooMany", notConfirmed: "failed" } as const satisfies Record<
  Exclude<AddedPasskey, "added">,
  PasskeyProblem
>;

/**
 * The record has it once it is there. What the record does not take is taken back: no passkey
 * counts that nobody can read of.
 */
async function store(c: AppContext, reader: AdmittedReader, checked: Checked): Promise<PasskeyProblem | null> {
  const { nonce, made, response, confirmed, name } = checked;
  const { person, visitor, inbox } = reader;
  const passkey = { ...made, name, transports: transportsIn(response) };
  const input: AddPasskeyInput = { address: visitor.address, nonce, passkey, confirmed };
  const answer = await inboxStub(c.env, inbox).addPasskey(jsonOf(input));
  if (answer !== "added") return problems[answer];
  const by = { kind: "inbox", email: person.email } as const;
  const fact = { kind: "passkeyAdded", by, reviewer: person.name, passkey: made.id, publicKey: made.publicKey } as const;
  try {
    await configStub(c.env).record(fact);
  } catch (error) {
    logEvent("config.recordFailed", { error: errorClass(error) });
    await inboxStub(c.env, inbox).removePasskey(made.id);
    return "unreachable";
  }
  return null;
}

/** For the browser alone, which then offers the right device. */
function transportsIn(response: string): string[] {
  const transports = objectOf(objectOf(parseJson(response))?.["response"])?.["transports"];
  const words = Array.isArray(transports) ? transports.filter((each) => typeof each === "string") : [];
  return words.filter((each) => /^[a-z-]{1,20}$/.test(each)).slice(0, 8);
}

/** What its owner calls it. */
function nameIn(fields: URLSearchParams): string {
  const name = (fields.get("name") ?? "").replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "").trim();
  return name === "" ? "Passkey" : [...name].slice(0, longestName).join("");
}

passkeyRoutes.all(paths.inboxPasskeys, (c) => errorPage(c, "badRequest", 405, { Allow: "GET, HEAD, POST" }));
passkeyRoutes.onError(answerFault);
