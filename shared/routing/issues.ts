// What is wrong with a configuration document, in the form the admin pages and the API show. Never carries a value from
// the document: a secret that was pasted into the wrong field must not come back in an error.

import type * as z from "zod";

/** `pointer` is an RFC 6901 pointer into the document; `message` is one plain sentence or clause. */
export type Issue = { readonly pointer: string; readonly message: string };

/** More problems than this help nobody, and the document may be large. */
const mostIssues = 50;

/** RFC 6901: "" is the whole document. */
export const pointerTo = (path: readonly PropertyKey[]): string =>
  path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** Zod's issues as problems; a member that should not be there is pointed at itself, and named only there. */
export function issuesOf(issues: readonly z.core.$ZodIssue[]): Issue[] {
  const problems: Issue[] = [];
  for (const issue of issues) {
    if (problems.length >= mostIssues) break;
    if (issue.code === "unrecognized_keys") {
      for (const name of issue.keys.slice(0, mostIssues))
        problems.push({ pointer: pointerTo([...issue.path, name]), message: "is not a known member" });
    } else {
      problems.push({ pointer: pointerTo(issue.path), message: issue.message });
    }
  }
  return problems.slice(0, mostIssues);
}
