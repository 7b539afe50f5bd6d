// Links, nonces, sealed ids, signatures and references: what comes in from a browser, from Slack, or as an id.

import type { Mutant } from "./mutant.ts";

const link = { file: "shared/review/link.ts", test: { file: "test/shared/review/link.test.ts" } };
const sealed = { file: "shared/sealed-id.ts", test: { file: "test/shared/sealed-id.test.ts" } };
const signature = { file: "shared/channels/slack-signature.ts", test: { file: "test/shared/channels/slack-signature.test.ts" } };
const reference = { file: "shared/channels/slack-reference.ts", test: { file: "test/shared/channels/slack-reference.test.ts" } };
const http = "test/workers/contract/review-http.test.ts";
const slack = "test/workers/contract/slack-interactions.test.ts";

export const linkMutants: readonly Mutant[] = [
  {
    ...sealed,
    name: "a seal's MAC is compared",
    from: "key.id === claims[0] && equalBytes(mac, macOf(key.bytes, domain, claims).subarray(0, macLength))",
    to: "key.id === claims[0]",
  },
  {
    ...sealed,
    name: "a seal's key is named",
    from: "key.id === claims[0] && equalBytes",
    to: "equalBytes",
    survives: "the MAC covers the key's id, so another id fails it anyway; the comparison saves a computation",
  },
  {
    ...sealed,
    name: "a seal's domain counts",
    from: "macOf(key.bytes, domain, claims).subarray(0, macLength)));",
    to: 'macOf(key.bytes, "", claims).subarray(0, macLength)));',
  },
  {
    ...sealed,
    name: "a payload has its length",
    from: "return payload?.length === payloadLength ? payload : undefined;",
    to: "return payload;",
  },
  { ...sealed, name: "a run id has its prefix", from: "id.startsWith(runPrefix) ? unseal(", to: 'id !== "" ? unseal(' },
  {
    ...link,
    name: "a nonce's MAC is compared",
    from: 'if (!keys.some((key) => equalBytes(mac, nonceMac(key.bytes, subject, head)))) return "forged";',
    to: "",
  },
  {
    ...link,
    name: "a nonce is bound to its subject",
    from: "utf8ToBytes(digestOf(nonceDomain, { ...subject }))",
    to: "utf8ToBytes(digestOf(nonceDomain, {}))",
  },
  { ...link, name: "a nonce is too early for a second", from: 'if (age < nonceEarliestMs) return "early";', to: "" },
  { ...link, name: "a nonce is too late after half an hour", from: 'return age > nonceLatestMs ? "late" : "good";', to: 'return "good";' },
  {
    ...link,
    name: "a token's format version counts",
    from: "payload === undefined || payload[0] !== formatVersion) return undefined;\n  const gate = gates[payload[17] ?? -1];\n  const reviewer",
    to: "payload === undefined) return undefined;\n  const gate = gates[payload[17] ?? -1];\n  const reviewer",
  },
  {
    name: "a link's time is over",
    file: "workers/endpoints/review/review-link.ts",
    from: "const isOver = Date.now() >= claims.expiresAtSeconds * 1000;",
    to: "const isOver = false;",
    test: { file: "test/workers/contract/expired-link.test.ts", only: "takes no decision|says until when" },
  },
  {
    name: "an expired link decides nothing",
    file: "workers/endpoints/review/review.ts",
    from: "if (link.isOver) return answerExpiredForm(c, link, body.text);",
    to: "",
    test: { file: "test/workers/contract/expired-link.test.ts", only: "takes no decision|the nonce of a decision" },
  },
  {
    name: "an expired link's page hears nothing",
    file: "workers/endpoints/review/review.ts",
    from: "if (link.isOver) return noSuchLink(c);",
    to: "",
    test: { file: "test/workers/contract/live-page.test.ts", only: "is 404 for a token" },
  },
  {
    name: "a revoked link opens nothing",
    file: "workers/objects/run/run-parts.ts",
    from: "link.revokedAt !== null || ",
    to: "",
    test: { file: "test/workers/contract/expired-link.test.ts", only: "the old one opens nothing" },
  },
  {
    name: "a link opens its own gate",
    file: "workers/objects/run/run-parts.ts",
    from: "link.gate !== gate || ",
    to: "",
    test: { file: "test/workers/objects/deciding.test.ts", only: "a link opens its own gate" },
  },
  {
    name: "a link is its own reviewer's",
    file: "workers/objects/run/run-parts.ts",
    from: " || link.reviewer !== reviewer) return null;",
    to: ") return null;",
    test: { file: "test/workers/objects/deciding.test.ts", only: "a link opens its own gate" },
  },
  {
    name: "a form's nonce is judged",
    file: "workers/endpoints/review/review.ts",
    from: 'if (judged !== "good") {',
    to: 'if (judged === "late") {',
    test: { file: http, only: "too early|another link's nonce" },
  },
  {
    name: "a form comes from our own page",
    file: "workers/endpoints/review/review-link.ts",
    from: 'if (!isSameOrigin(c.req.raw.headers, link.settings.publicUrl)) return errorPage(c, "crossSite", 403);',
    to: "",
    test: { file: http, only: "a POST decides nothing" },
  },
  {
    name: "a form says that it is one",
    file: "workers/endpoints/review/review-link.ts",
    from: 'if (!/^application\\/x-www-form-urlencoded\\s*(;|$)/i.test(c.req.header("Content-Type") ?? "")) return errorPage(c, "wrongType", 415);',
    to: "",
    test: { file: http, only: "a POST decides nothing" },
  },
  {
    name: "another site's page hears nothing",
    file: "workers/endpoints/review/review.ts",
    from: 'if (origin !== undefined && origin !== originOf(link.settings.publicUrl)) return errorPage(c, "crossSite", 403);',
    to: "",
    test: { file: "test/workers/contract/live-page.test.ts", only: "opens for our own pages" },
  },
  {
    ...signature,
    name: "a signature has its form",
    from: "!/^v0=[0-9a-f]{64}$/.test(signature) || ",
    to: "",
    survives: "a signature of another form is equal to none that is computed; the form is checked so that the comparison has one length",
  },
  {
    ...signature,
    name: "a timestamp is a plain number",
    from: " || !/^(?:0|[1-9][0-9]{0,11})$/.test(timestamp)) return false;",
    to: ") return false;",
  },
  {
    ...signature,
    name: "a signature is five minutes old at the most",
    from: "if (Math.abs(Math.floor(now / 1_000) - Number(timestamp)) > slackSkewSeconds) return false;",
    to: "",
  },
  {
    ...signature,
    name: "a signature is compared",
    from: "return equalBytes(utf8ToBytes(signature), utf8ToBytes(slackSignature(secret, timestamp, body)));",
    to: "return signature !== slackSignature(secret, timestamp, body) || body.length > 0;",
  },
  { ...signature, name: "an empty secret signs nothing", from: 'if (secret === "" || signature === null', to: "if (signature === null" },
  {
    ...reference,
    name: "a reference's format version counts",
    from: "payload === undefined || payload[0] !== formatVersion",
    to: "payload === undefined",
  },
  {
    name: "Slack's signature is asked for",
    file: "workers/endpoints/slack.ts",
    from: "if (signature === null || !isSignedBySlack(app.signingSecret, { signature, timestamp, body }, now))",
    to: "if (signature === null)",
    test: { file: slack, only: "a signature" },
  },
  {
    name: "another member's private message decides nothing",
    file: "workers/channels/slack/press-standing.ts",
    from: 'if (!isSlackChannel(reviewer) || reviewer.slack !== receipt.channel) return { kind: "mayNot", why: "notYours" };',
    to: "",
    test: { file: slack, only: "from another member" },
  },
  {
    name: "a button's app is the message's",
    file: "workers/channels/slack/press-standing.ts",
    from: 'if ((app.appId ?? appId) !== appId || (receipt.app ?? appId) !== appId) return { kind: "foreign" };',
    to: "",
    test: { file: slack, only: "counts from the app and workspace|for another app" },
  },
  {
    name: "a button's workspace is the message's",
    file: "workers/channels/slack/press-standing.ts",
    from: 'if ((app.teamId ?? team.id) !== team.id || receipt.team !== team.id) return { kind: "foreign" };',
    to: "",
    test: { file: slack, only: "a press" },
  },
  {
    name: "a member of another company decides nothing",
    file: "workers/channels/slack/press-standing.ts",
    from: 'if (user.team_id === undefined ? isPress : user.team_id !== receipt.team) return { kind: "mayNot", why: "notYours" };',
    to: "",
    test: { file: slack, only: "somebody of another company" },
  },
  {
    name: "a press is on the message that was posted",
    file: "workers/channels/slack/press-standing.ts",
    from: 'if (channel !== receipt.channel || ts !== receipt.ts) return { kind: "mayNot", why: "oldMessage" };',
    to: "",
    test: { file: slack, only: "on a copy that was replaced" },
  },
  {
    name: "an expired link takes its buttons with it",
    file: "workers/endpoints/slack.ts",
    from: 'if (isExpired(review)) return tell(heard, review, press, "oldMessage", standing.as.member === null);',
    to: "",
    test: { file: slack, only: "takes its buttons with it" },
  },
  {
    name: "an expired link takes its dialog with it",
    file: "workers/endpoints/slack.ts",
    from: 'if (isExpired(review)) return instead("oldMessage");',
    to: "",
    test: { file: slack, only: "takes its dialog with it" },
  },
  {
    name: "a dialog is submitted by whom it was opened for",
    file: "workers/endpoints/slack.ts",
    from: 'if (standing.kind !== "may") return instead(standing.kind === "foreign" ? "notYours" : standing.why);',
    to: 'if (standing.kind === "foreign") return instead("notYours");\n  if (standing.kind !== "may") throw new Error("no");',
    test: { file: slack, only: "submitted by somebody else" },
  },
];
