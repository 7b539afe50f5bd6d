// The inbox: who is signed in, by which link, in which browser, until when, and what they see and decide.

import type { Mutant } from "./mutant.ts";

const signIn = "test/workers/contract/inbox-sign-in.test.ts";
const inbox = "test/workers/contract/inbox.test.ts";
const access = "test/workers/contract/inbox-access.test.ts";
const signIns = { file: "workers/objects/inbox/inbox-sign-ins.ts", test: { file: signIn } };

export const inboxMutants: readonly Mutant[] = [
  {
    ...signIns,
    name: "a sign-in link is used once",
    from: "link.used_at !== null || ",
    to: "",
    test: { file: signIn, only: "used twice" },
  },
  {
    ...signIns,
    name: "a sign-in link is bound to its browser",
    from: "if (link.browser !== browser)",
    to: "if (browser === null && browser)",
  },
  {
    ...signIns,
    name: "a sign-in link is bound to its address",
    from: " || link.address !== address) return",
    to: ") return",
    survives: "a change of the policy ends the links of an old address; this check is for where the object has not heard of it yet",
  },
  { ...signIns, name: "three sign-in emails an hour", from: "if (this.#unusedAt(now).length >= mostUnused) return false;", to: "" },
  { ...signIns, name: "a session ends by time", from: "row === undefined || now >= row.expires_at", to: "row === undefined" },
  {
    name: "a sign-in link ends after ten minutes",
    file: "workers/endpoints/inbox/sign-in.ts",
    from: "Date.now() >= claims.expiresAtSeconds * 1000",
    to: "false",
    test: { file: signIn, only: "ten minutes after" },
    survives: "the object judges the time too; this check spares waking it",
  },
  {
    name: "an answer to whoever asks comes before anything is done",
    file: "workers/endpoints/inbox/sign-in.ts",
    from: "if (person === undefined) return;\n  const inbox",
    to: 'if (person === undefined) throw new Error("unknown");\n  const inbox',
    test: { file: signIn, only: "is answered alike" },
    survives: "what is thrown after the answer is logged by its class: the asker cannot tell",
  },
  {
    name: "a change of the policy ends sessions",
    file: "workers/endpoints/admin/admin-documents.ts",
    from: "await endSessionsOfChanged(c.env, before, after.value);",
    to: "",
    test: { file: signIn, only: "also where nobody looked in between" },
  },
  {
    name: "a row of the inbox is bound to an address",
    file: "workers/objects/inbox/inbox-waiting.ts",
    from: "WHERE gate IS NOT NULL AND address = ? AND deadline_at > ? ORDER BY deadline_at, run",
    to: "WHERE gate IS NOT NULL AND (address = ? OR 1) AND deadline_at > ? ORDER BY deadline_at, run",
    test: { file: inbox, only: "took over a reviewer's name" },
  },
  {
    name: "an older telling changes nothing",
    file: "workers/objects/inbox/inbox-waiting.ts",
    from: "if (known !== undefined && known.seq > seq) return null;",
    to: "",
    test: { file: "test/workers/objects/inbox.test.ts" },
  },
  {
    name: "an inbox shows reviews that its reader was asked for",
    file: "workers/objects/run/run-parts.ts",
    from: "reviews[gate]?.reviewers.includes(name) === true || reviews[gate]?.left",
    to: "true || reviews[gate]?.left",
    test: { file: inbox, only: "shows only what waits for this reviewer" },
  },
  {
    name: "an inbox shows reviews that were asked of its reader's address",
    file: "workers/objects/run/run-pages.ts",
    from: " && each.email?.toLowerCase() === email.toLowerCase()",
    to: "",
    test: { file: inbox, only: "took over a reviewer's name" },
  },
  {
    name: "a nonce of the inbox is of its session",
    file: "workers/endpoints/inbox/admitted.ts",
    from: "token: `inbox/${gate}/${run}/${bound}`",
    to: "token: `inbox/${gate}/${run}/`",
    test: { file: inbox, only: "with the nonce of another session" },
  },
  {
    name: "reviews together have nonces of their own",
    file: "workers/endpoints/inbox/together.ts",
    from: 'if (judged !== "good") return judged === "late" ? "lateForm" : judged;',
    to: "",
    test: { file: inbox, only: "each is judged by its own nonce" },
  },
  {
    name: "unlike reviews are not approved together",
    file: "workers/endpoints/inbox/together.ts",
    from: "new Set(shown.map(({ view }) => alikeDigest(view))).size <= 1",
    to: "true",
    test: { file: inbox, only: "with one that is not alike" },
  },
  {
    name: "a token of Access is for this application",
    file: "workers/credentials/access.ts",
    from: "audience: access.audience,",
    to: 'audience: [access.audience, "another application"],',
    test: { file: access, only: "for another audience" },
  },
];
