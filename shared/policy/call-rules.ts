// Whether the policy says anything about the calls of clients: where it does not, they pass without
// a look at them.

import { matchesGlob } from "./glob.ts";
import type { Policy } from "./rules.ts";

/** Whether a rule could be about a call of this key at this server, or mask a part of it. */
export function callRulesFor({ rules, redaction }: Policy, { server, key }: { readonly server: string; readonly key: string }): boolean {
  const mayBe = ({ when }: { readonly when: Policy["rules"][number]["when"] }): boolean =>
    when.subject === "toolCall" &&
    (when.server === undefined || matchesGlob(when.server, server)) &&
    (when.key === undefined || matchesGlob(when.key, key));
  return rules.some(mayBe) || redaction.rules.some(mayBe);
}
