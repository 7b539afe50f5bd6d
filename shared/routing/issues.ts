// What is wrong with a configuration document, in the form the admin pages and the API show. Never
// carries a value from the document: a secret that was pasted into the wrong field must not come
// back in an error.

import type * as z from "zod";
import { pointerStep } from "../json/issue-collector.ts";

/**
 * `pointer` is an RFC 6901 pointer into the document; `message` is one plain sentence or clause.
 */
export type Issue = { readonly pointer: string; readonly message: string };

/** More than this help no operator, and the document may be large. */
const mostIssues = 50;

/** RFC 6901: "" is the whole document. */
export const pointerTo = (path: readonly PropertyKey[]): string => path.map((step) => pointerStep(String(step))).join("");

/** Zod's issues as ours; an unknown member is named by its own pointer alone. */
export function issuesOf(issues: readonly z.core.$ZodIssue[]): Issue[] {
  const found: Issue[] = [];
  for (const issue of issues) {
    if (found.length >= mostIssues) break;
    if (issue.code === "unrecognized_keys") {
      for (const name of issue.keys.slice(0, mostIssues))
        found.push({ pointer: pointerTo([...issue.path, name]), message: "is not a known member" });
    } else {
      // A name that is not allowed: zod says which rule it breaks one level below.
      const { message } = issue.code === "invalid_key" ? (issue.issues[0] ?? issue) : issue;
      found.push({ pointer: pointerTo(issue.path), message });
    }
  }
  return found.slice(0, mostIssues);
}
