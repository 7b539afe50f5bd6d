// The inbox: all that waits for a signed-in reviewer, and each review's page without a token in its
// address. Nothing of it is on a page that a token alone opened.

import { readJsonOf } from "../../../shared/json/json-of.ts";
import { Hono } from "hono";
import { formFields } from "../../../shared/review/form.ts";
import { reviewKey } from "../../../shared/review/inbox.ts";
import { passkeysTarget } from "../../../shared/review/passkey-form.ts";
import { judgeNonce } from "../../../shared/review/link.ts";
import { parseRunId } from "../../../shared/sealed-id.ts";
import type { Gate } from "../../../shared/model/gate.ts";
import { availabilityUrl, inboxUrl, passkeysUrl, pathOfUrl, paths } from "../../platform/urls.ts";
import { type InboxQuery, inboxFilters, inboxGroupings, inboxSorts } from "../../../shared/review/inbox-list.ts";
import { visitorHeader } from "../../stubs/inbox-calls.ts";
import { inboxStub } from "../../stubs/stubs.ts";
import type { App, AppContext } from "../app-context.ts";
import { isFlooding } from "../auth.ts";
import { asPage, inPath, inQuery, pageRefusals, formRefusals } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { answerPage, errorPage } from "../page-answer.ts";
import { answerFault, answerPresented, refusedUpgrade, showPresented, watchPresented } from "../review/review.ts";
import { type Presented, noSuchLink, readForm } from "../review/review-link.ts";
import { setCookie } from "../session-address.ts";
import type { AvailabilityProblem } from "../../ui/inbox/availability.tsx";
import { admittedReader, presentedTo, readerForm, signInInstead, signedIn, visitorOf } from "./admitted.ts";
import { devicesInput } from "./devices.ts";
import { type TypedAvailability, availabilityInput, saveAvailability, typedIn } from "./availability.ts";
import { type Reader, inboxSettings, readerNonce, readerOf } from "./reader.ts";

export const inboxRoutes = new Hono<App>();

const everywhere = {
  404: asPage("There is nothing here for this reader, or no PUBLIC_URL is configured"),
  ...pageRefusals,
};

const showInbox = describe("showInbox", {
  summary: "All that waits for the signed-in reviewer, the earliest deadline first; for anybody else the page to sign in",
  parameters: [
    inQuery("filter", inboxFilters.join(", ")),
    inQuery("sort", inboxSorts.join(", ")),
    inQuery("group", inboxGroupings.join(", ")),
    inQuery("page", "From 1"),
  ],
  200: asPage("The page"),
  ...everywhere,
});

inboxRoutes.get(paths.inbox, showInbox, async (c) => {
  const settings = inboxSettings(c);
  if (settings === null) return noSuchLink(c);
  const reader = await signedIn(c, settings);
  if (reader instanceof Response) return reader;
  return inboxPage(c, reader, { isSaved: c.req.query("saved") !== undefined });
});

type Saving = { readonly isSaved: boolean; readonly typed?: TypedAvailability; readonly problem?: AvailabilityProblem };

async function inboxPage(c: AppContext, reader: Reader, saving: Saving): Promise<Response> {
  const query = queryOf(c);
  const [text, devices] = await Promise.all([inboxStub(c.env, reader.inbox).list(visitorOf(reader), query), devicesInput(c, reader)]);
  if (text === null) return signInInstead(c, reader.settings, null);
  const input = {
    path: pathOfUrl(reader.home),
    reader: reader.person.name,
    list: readJsonOf(text),
    query,
    now: Date.now(),
    signOut: signOutForm(reader),
    devices,
    availability: await availabilityInput(c, reader, {
      action: pathOfUrl(availabilityUrl(reader.home)),
      nonce: readerNonce(reader, "availability"),
      ...saving,
    }),
  };
  return answerPage(c, { kind: "inbox", input }, saving.problem === undefined ? 200 : 422, { language: reader.person.language });
}

const setAvailability = describe("setAvailability", {
  summary: "The inbox's form of a holiday and quiet hours: writes them to the policy, for the signed-in reviewer alone",
  body: { type: "application/x-www-form-urlencoded" },
  303: { description: "Saved", headers: { Location: "The inbox" } },
  403: asPage("From another site, not this session's form, or not signed in"),
  422: asPage("The inbox, with what could not be saved and why"),
  ...everywhere,
  ...formRefusals,
});

inboxRoutes.post(paths.inboxAvailability, setAvailability, async (c) => {
  const form = await readerForm(c, "availability");
  if (form instanceof Response) return form;
  const { reader, fields } = form;
  const typed = typedIn(fields);
  const problem = await saveAvailability(c, reader, typed);
  if (problem !== null) return inboxPage(c, reader, { isSaved: false, typed, problem });
  return c.body(null, 303, { Location: `${reader.home}?saved#availability`, "Cache-Control": "no-store" });
});

/** What is not there, or not known, is as on the inbox's own path. */
function queryOf({ req }: AppContext): InboxQuery {
  const oneOf = <Name extends string>(known: readonly [Name, ...Name[]], name: string): Name =>
    known.find((each) => each === req.query(name)) ?? known[0];
  return {
    filter: oneOf(inboxFilters, "filter"),
    sort: oneOf(inboxSorts, "sort"),
    group: oneOf(inboxGroupings, "group"),
    page: /^[1-9][0-9]{0,4}$/.test(req.query("page") ?? "") ? Number(req.query("page")) : 1,
  };
}

/** Access has its own sign-out. */
export const signOutForm = (reader: Reader): { readonly nonce: string } | { readonly path: string } =>
  reader.visitor.session === null ? { path: "/cdn-cgi/access/logout" } : { nonce: readerNonce(reader, "sign-out") };

const watchInbox = describe("watchInbox", {
  summary: "A WebSocket that tells an open inbox how many reviews wait, and which began or ceased to",
  101: "It is told at once, and again at each change",
  403: asPage("From a page of another site"),
  ...everywhere,
  426: { description: "Not a WebSocket" },
  503: { description: "Too many pages of this inbox listen already" },
});

inboxRoutes.get(paths.inboxLive, watchInbox, async (c) => {
  const settings = inboxSettings(c);
  if (settings === null) return noSuchLink(c);
  const refusal = await refusedUpgrade(c, settings.publicUrl);
  if (refusal !== null) return refusal;
  const reader = await readerOf(c, settings);
  if (typeof reader === "string" || (await isFlooding(c, `inbox ${reader.inbox}`))) return noSuchLink(c);
  const headers = { Upgrade: "websocket", [visitorHeader]: JSON.stringify(reader.visitor) };
  const opened = await inboxStub(c.env, reader.inbox).fetch("https://inbox/live", { headers });
  return opened.status === 404 ? noSuchLink(c) : opened;
});

const signOut = describe("signOut", {
  summary: "Ends this session, or with `everywhere` every session of this reviewer",
  body: { type: "application/x-www-form-urlencoded" },
  303: { description: "Signed out", headers: { Location: "The page to sign in" } },
  403: asPage("From another site, or not this session's form"),
  ...everywhere,
  ...formRefusals,
});

inboxRoutes.post(paths.inboxSignOut, signOut, async (c) => {
  const settings = inboxSettings(c);
  if (settings === null) return noSuchLink(c);
  const reader = await signedIn(c, settings);
  if (reader instanceof Response) return reader;
  const body = await readForm(c, reader, 10_000);
  if (body instanceof Response) return body;
  const fields = new URLSearchParams(body.text);
  const judged = judgeNonce(
    settings.keys,
    { token: reader.bound, version: 0, digest: "sign-out" },
    fields.get(formFields.nonce) ?? "",
    Date.now(),
  );
  // Signing out is harmless, however early or late.
  if (judged === "forged") return errorPage(c, "crossSite", 403);
  const stub = inboxStub(c.env, reader.inbox);
  // A session that is no longer good ends nothing but itself.
  const isGood = (await stub.session(visitorOf(reader))) !== null;
  if (isGood && fields.get(formFields.act) === "everywhere") await stub.signOut(null);
  else if (reader.visitor.session !== null) await stub.signOut(reader.visitor.session);
  const { publicUrl } = settings;
  const gone = setCookie("countersign-session", "", { maxAge: 0, publicUrl, home: reader.home });
  const home = inboxUrl(publicUrl);
  const headers = { Location: fields.get(formFields.to) === passkeysTarget ? passkeysUrl(home) : home, "Set-Cookie": gone };
  return new Response(null, { status: 303, headers });
});

const reviewParameters = [inPath("gate", "request or response"), inPath("run", "The run's id")];

/**
 * The review of this address before its signed-in reviewer; or the answer to anybody else. It never
 * says whether there is such a run.
 */
export async function presentedReview(c: AppContext): Promise<Presented | Response> {
  const settings = inboxSettings(c);
  const run = c.req.param("run") ?? "";
  const gate: Gate | undefined = (["request", "response"] as const).find((each) => each === c.req.param("gate"));
  if (settings === null || gate === undefined || parseRunId(settings.keys, run) === undefined) return noSuchLink(c);
  const reader = await admittedReader(c, reviewKey(run, gate));
  return reader instanceof Response ? reader : ((await presentedTo(c, reader, { run, gate })) ?? noSuchLink(c));
}

const showReview = describe("showInboxReview", {
  summary: "The review page for its signed-in reviewer, as at a personal link",
  parameters: reviewParameters,
  200: asPage("The page; for whoever is not signed in, the page to sign in"),
  ...everywhere,
});

inboxRoutes.get(paths.inboxReview, showReview, async (c) => {
  const presented = await presentedReview(c);
  return presented instanceof Response ? presented : showPresented(c, presented);
});

const decideReview = describe("decideInboxReview", {
  summary: "The form of that page, as at a personal link",
  parameters: reviewParameters,
  body: { type: "application/x-www-form-urlencoded" },
  200: asPage("A preview"),
  303: { description: "Done; the page shows what came of it", headers: { Location: "The page" } },
  400: asPage("Not the page's form"),
  403: asPage("From another site, with a nonce of another form, or by somebody who may not decide"),
  409: asPage("Too early, too late, sent before, or decided by somebody else"),
  412: asPage("The content changed; the new version is shown"),
  422: asPage("Changes, a grant or a reviewer that is not allowed here"),
  503: asPage("The passkey could not be checked"),
  ...everywhere,
  ...formRefusals,
});

inboxRoutes.post(paths.inboxReview, decideReview, async (c) => {
  const presented = await presentedReview(c);
  if (presented instanceof Response) return presented;
  const body = await readForm(c, presented);
  return body instanceof Response ? body : answerPresented(c, presented, body);
});

const watchReview = describe("watchInboxReview", {
  summary: "A WebSocket that tells that page the state of its review",
  parameters: reviewParameters,
  101: "It is told at once how the review stands, and again at each change",
  403: asPage("From a page of another site"),
  ...everywhere,
  426: { description: "Not a WebSocket" },
  503: { description: "Too many pages of this review listen already" },
});

inboxRoutes.get(paths.inboxReviewLive, watchReview, async (c) => {
  const presented = await presentedReview(c);
  return presented instanceof Response ? presented : watchPresented(c, presented);
});

for (const [path, allow] of [
  [paths.inbox, "GET, HEAD"],
  [paths.inboxLive, "GET"],
  [paths.inboxSignOut, "POST"],
  [paths.inboxAvailability, "POST"],
  [paths.inboxReview, "GET, HEAD, POST"],
  [paths.inboxReviewLive, "GET"],
] as const)
  inboxRoutes.all(path, (c) => errorPage(c, "badRequest", 405, { Allow: allow }));

inboxRoutes.onError(answerFault);
