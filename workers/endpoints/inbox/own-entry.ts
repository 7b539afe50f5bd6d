// What a signed-in reviewer may change of the policy: members of their own entry. What is written
// is the newest policy with this one reviewer changed, and nothing else of it.

import type { JsonObject } from "../../../shared/json-types.ts";
import { objectOf, parseJson } from "../../../shared/json/values.ts";
import { groupedReviewer, withReviewer } from "../../../shared/policy/reviewer-edit.ts";
import { parsePolicy } from "../../../shared/policy/rules.ts";
import { configStub } from "../../stubs/stubs.ts";
import { currentDocument, serveDocument } from "../admin/admin-documents.ts";
import type { AppContext } from "../app-context.ts";
import type { Person } from "./reader.ts";

/** Others write the policy too: the change is made again on what they wrote. */
const mostTries = 4;

/**
 * `saved`: also where nothing changed. `busy`: others wrote at the same moment, or the reviewer
 * left the policy. `refused`: the policy would not be valid.
 */
export async function writeOwnEntry(
  c: AppContext,
  person: Person,
  change: (entry: JsonObject) => JsonObject,
): Promise<"saved" | "busy" | "refused"> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const current = await currentDocument(c.env, "policy");
    const before = objectOf(parseJson(current.text));
    const known = before === null ? null : groupedReviewer(before, person.name);
    // They left the policy meanwhile, or have another address there.
    if (before === null || known === null || known["email"] !== person.email) return "busy";
    const { groups, ...entry } = known;
    const after = withReviewer(before, change(entry), groups as string[]); // of groupedReviewer
    if (JSON.stringify(after) === JSON.stringify(before)) return "saved";
    if (!parsePolicy(after).ok) return "refused";
    const writer = { by: { kind: "inbox", email: person.email }, restored: null } as const;
    const written = await configStub(c.env).write("policy", current.version, JSON.stringify(after), writer);
    if (written.kind === "conflict") continue;
    serveDocument(c, "policy", after, written.version);
    return "saved";
  }
  return "busy";
}
