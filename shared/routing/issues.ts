// What is wrong with a configuration document, in the form the admin pages and the API show. Never
// carries a value from the document: a secret that was pasted into the wrong field must not come
// back in an error.

import type * as z from "zod";
import { pointerStep } from "../json/issue-collector.ts";
import { type IssueKey, type IssuePhrase, isIssueKey, issueText } from "../words/issues.ts";

/**
 * `pointer` is an RFC 6901 pointer into the document; `message` is one plain sentence or clause.
 * `says`: the message before it is in English; absent where a part of the gateway has no phrase.
 */
export type Issue = { readonly pointer: string; readonly message: string; readonly says?: IssuePhrase };

export function issueAt(pointer: string, said: IssueKey | IssuePhrase): Issue {
  const says = typeof said === "string" ? { key: said } : said;
  return { pointer, message: issueText(says), says };
}

/** More than this help no operator, and the document may be large. */
const mostIssues = 50;

/** RFC 6901: "" is the whole document. */
export const pointerTo = (path: readonly PropertyKey[]): string => path.map((step) => pointerStep(String(step))).join("");

/**
 * Zod's issues as ours; an unknown member is named by its own pointer alone. A check of our schemas
 * has a key of our texts as its message.
 */
export function issuesOf(issues: readonly z.core.$ZodIssue[]): Issue[] {
  const found: Issue[] = [];
  for (const issue of issues) {
    if (found.length >= mostIssues) break;
    if (issue.code === "unrecognized_keys") {
      for (const name of issue.keys.slice(0, mostIssues)) found.push(issueAt(pointerTo([...issue.path, name]), "unknownMember"));
    } else {
      // A name that is not allowed: zod says which rule it breaks one level below.
      found.push(zodIssueAt(pointerTo(issue.path), issue.code === "invalid_key" ? (issue.issues[0] ?? issue) : issue));
    }
  }
  return found.slice(0, mostIssues);
}

function zodIssueAt(pointer: string, issue: z.core.$ZodIssue): Issue {
  const { message } = issue;
  if (isIssueKey(message)) return issueAt(pointer, message);
  const says = zodPhrase(issue);
  return { pointer, message, ...(says === undefined ? {} : { says }) };
}

const typeKeys: Readonly<Record<string, IssueKey>> = {
  string: "aString",
  number: "aNumber",
  int: "aWholeNumber",
  boolean: "aBoolean",
  array: "aList",
  object: "anObject",
  record: "anObject",
};

/** What zod's own message says, but for the value's own type. */
function zodPhrase(issue: z.core.$ZodIssue): IssuePhrase | undefined {
  switch (issue.code) {
    case "invalid_type": {
      const type = typeKeys[issue.expected];
      return { key: "isType", values: { type: type === undefined ? issue.expected : { key: type } } };
    }
    case "too_big": {
      const values = { most: Number(issue.maximum) };
      if (issue.origin === "string") return { key: "longText", values };
      if (issue.origin === "array") return { key: "longList", values };
      return { key: issue.inclusive === false ? "notBelow" : "aboveMost", values };
    }
    case "too_small": {
      const values = { least: Number(issue.minimum) };
      if (issue.origin === "string") return { key: "shortText", values };
      if (issue.origin === "array") return { key: "shortList", values };
      return { key: issue.inclusive === false ? "notAbove" : "belowLeast", values };
    }
    case "invalid_value":
      return { key: "oneOf", values: { options: issue.values.map(String).join(", ") } };
    case "invalid_format":
      return { key: issue.format === "email" ? "notEmail" : "otherForm" };
    case "invalid_union":
      return { key: "fitsNone" };
    default:
      return undefined;
  }
}
