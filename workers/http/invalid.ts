// What a route answers where its query or body does not match its schema: a pointer to each issue.
// Nothing is changed.

import { isIssueKey, issueText } from "../../shared/words/issues.ts";

type Validated = {
  readonly success: boolean;
  readonly error?: { readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[] };
};

/** The hook of `zValidator`. */
export function onInvalid(result: Validated, c: { json(body: object, status: 400): Response }): Response | undefined {
  if (result.success) return undefined;
  const details = result.error?.issues.map(({ path, message }) => ({
    pointer: path.map((step) => `/${String(step)}`).join(""),
    // Some of our schemas are parts of documents too, whose checks have a key as their message.
    ...(isIssueKey(message) ? { message: issueText({ key: message }), says: { key: message } } : { message }),
  }));
  return c.json({ error: "The request is not valid; nothing was changed", details }, 400);
}
