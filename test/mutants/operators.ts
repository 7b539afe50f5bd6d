// What operators may read and do below the highest role, from elsewhere, and by another server on
// the same machine.

import type { Mutant } from "./mutant.ts";

const access = "test/workers/contract/console/access.test.ts";
const waiting = "test/workers/contract/waiting-review.test.ts";

export const operatorMutants: readonly Mutant[] = [
  {
    name: "a reviewer's link is for operators who may change",
    file: "workers/endpoints/admin/sent-notices.ts",
    from: 'allows(c.var.role, "change")',
    to: 'allows(c.var.role, "see")',
    test: { file: access, only: "a reviewer's link" },
  },
  {
    name: "giving a reviewer's link is recorded",
    file: "workers/endpoints/admin/sent-notices.ts",
    from: 'if (given.length > 0 && c.req.method === "GET") await',
    to: "if (given.length > 500) await",
    test: { file: access, only: "a reviewer's link" },
  },
  {
    name: "an operator asks nobody whom the rule does not name",
    file: "workers/objects/run/review/run-asking.ts",
    from: "!this.#deps.reviewers.askable(input, review).includes(asked.reviewer)",
    to: "review.closing !== null",
    test: { file: waiting, only: "by nobody else" },
  },
  {
    name: "an operator asks nobody who may not approve",
    file: "workers/objects/run/review/run-reviewers.ts",
    from: "!known.has(each.name) && ownBar(review, each.name) === null",
    to: "!known.has(each.name)",
    test: { file: waiting, only: "by nobody else" },
  },
  {
    name: "a form that sends notices again does so once",
    file: "workers/objects/run/review/run-asking.ts",
    from: 'if (used !== null) return used === words ? "done" : "onceUsed";',
    to: "",
    test: { file: waiting, only: "once for each form" },
  },
  {
    name: "a genuine copy of a key that is older than its last change does not count",
    file: "workers/stores/keys.ts",
    from: "copy.version < (await leastKeyVersion(env, hash, now))",
    to: "copy.version < Math.min(0, await leastKeyVersion(env, hash, now))",
    test: { file: "test/workers/contract/console/keys.test.ts", only: "an older copy of it" },
  },
  {
    name: "a GET of the console exports nothing",
    file: "workers/endpoints/console/console.ts",
    from: ': errorPage(c, "badRequest", 405, { Allow: "POST" });',
    to: ": download(c, signedIn, downloads[page.slice(downloadPrefix.length)]!, new URLSearchParams());",
    test: { file: access, only: "embeds a download" },
  },
];
