// What the page of a review asks a passkey for, before its form is sent. It decides nothing, and
// stores nothing.

import { Hono } from "hono";
import * as z from "zod";
import { list, text } from "../../../shared/json/answer-fields.ts";
import { parseDecisionForm } from "../../../shared/review/form.ts";
import { paths } from "../../platform/urls.ts";
import { named } from "../answer-schema.ts";
import type { App } from "../app-context.ts";
import { asJson, asPage, formRefusals, inPath } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { errorPage } from "../page-answer.ts";
import { passkeyQuestion } from "../review/passkey-confirmation.ts";
import { answerFault, submissionOf } from "../review/review.ts";
import { noSuchLink, readForm } from "../review/review-link.ts";
import { presentedReview } from "./inbox.ts";

export const passkeyDecisionRoutes = new Hono<App>();

const question = named("PasskeyQuestion", () =>
  z.object({
    nonce: text(),
    options: z.object({
      challenge: text(),
      rpId: text(),
      allowCredentials: list(z.object({ type: z.literal("public-key"), id: text(), transports: list(text()) })),
      userVerification: z.literal("required"),
      timeout: z.int(),
    }),
  }),
);

const askPasskey = describe("askPasskey", {
  summary: "What a passkey is to sign for this form, as it is: for the page's script, before it sends the form",
  parameters: [inPath("gate", "request or response"), inPath("run", "The run's id")],
  body: { type: "application/x-www-form-urlencoded" },
  200: asJson(question, "The options of `navigator.credentials.get`, good for five minutes"),
  400: asPage("Not the page's form"),
  403: asPage("From another site, or not signed in"),
  404: asPage("There is no such review for this reader, or they have no passkey"),
  ...formRefusals,
});

passkeyDecisionRoutes.post(paths.inboxReviewPasskey, askPasskey, async (c) => {
  const presented = await presentedReview(c);
  if (presented instanceof Response) return presented;
  const body = await readForm(c, presented);
  if (body instanceof Response) return body;
  const form = parseDecisionForm(new URLSearchParams(body.text));
  if (!form.ok) return errorPage(c, "badRequest", 400);
  const asked = await passkeyQuestion(c, presented, submissionOf(form.value));
  if (asked === null) return noSuchLink(c);
  return c.json(asked, 200, { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" });
});

passkeyDecisionRoutes.all(paths.inboxReviewPasskey, (c) => errorPage(c, "badRequest", 405, { Allow: "POST" }));
passkeyDecisionRoutes.onError(answerFault);
