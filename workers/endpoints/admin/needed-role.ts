// What an operator must be allowed to do for a request under /admin. What is not named here changes
// the gateway, and needs the highest role.

import type { Role } from "../../../shared/credential/operator-roles.ts";
import { documentPaths, paths } from "../../platform/urls.ts";
import { documentNames } from "../../stubs/config-calls.ts";

const { admin } = paths;

/** What only asks, although it has a body. */
const questions: ReadonlySet<string> = new Set([
  admin.explain,
  admin.policyReplay,
  ...documentNames.map((name) => documentPaths(name).check),
]);
/**
 * Everything under these is about what runs: it is ended or stopped, or people are asked. No
 * configuration is changed.
 */
const endings: readonly string[] = [admin.runs, admin.stops, admin.grants];
/** A passkey that is removed is no ending: its reviewer adds the next one by a sign-in alone. */
const signOut = /^\/admin\/inboxes\/[^/]+\/sessions$/;
/** Everything under these tries whether something works, and changes nothing. */
const trials: readonly string[] = [admin.channelTest, admin.doctor];

/** `path`: of the request, without its query. */
export function neededRole(method: string, path: string): Role {
  if (method === "GET" || method === "HEAD" || questions.has(path)) return "see";
  // A bypass loosens what the policy says.
  if (path === admin.grants) return "change";
  if (signOut.test(path)) return "decide";
  return [...endings, ...trials].some((each) => path === each || path.startsWith(`${each}/`)) ? "decide" : "change";
}
