// A reviewer's own holiday and quiet hours, which they set in their inbox. They are members of the
// reviewer in the policy: what is written is the newest policy with these members of this one
// reviewer changed, and nothing else of it.

import type { JsonObject } from "../../../shared/json-types.ts";
import { objectOf, parseJson } from "../../../shared/json/values.ts";
import { isRoom } from "../../../shared/notice-channels.ts";
import { awaySchema, quietHoursSchema, timeZoneSchema } from "../../../shared/policy/availability.ts";
import { groupedReviewer, withReviewer } from "../../../shared/policy/reviewer-edit.ts";
import { type Policy, parsePolicy } from "../../../shared/policy/rules.ts";
import { configStub } from "../../stubs/stubs.ts";
import type { AvailabilityInput, AvailabilityProblem } from "../../ui/inbox/availability.tsx";
import { currentDocument, serveDocument } from "../admin/admin-documents.ts";
import type { AppContext } from "../app-context.ts";
import { type Person, type Reader, currentDocuments } from "./reader.ts";

/** Others write the policy too: the change is made again on what they wrote. */
const mostTries = 4;

/** The members as the form's fields have them. */
export type TypedAvailability = AvailabilityInput["typed"];

const typedNow = ({ timeZone = "", away, quietHours }: Person): TypedAvailability => ({
  zone: timeZone,
  from: away?.from ?? "",
  until: away?.until ?? "",
  to: away?.to ?? "",
  quiet: quietHours?.from ?? "",
  loud: quietHours?.until ?? "",
});

/** What the inbox shows of it. `typed`: what was sent and could not be saved. */
export async function availabilityInput(
  c: AppContext,
  { person }: Reader,
  more: Pick<AvailabilityInput, "action" | "nonce" | "isSaved"> & Partial<Pick<AvailabilityInput, "typed" | "problem">>,
): Promise<AvailabilityInput> {
  const { policy } = await currentDocuments(c);
  return { typed: typedNow(person), problem: null, standIns: standInsFor(policy, person.name), ...more };
}

const standInsFor = ({ reviewers }: Policy, name: string): string[] => {
  const people = Object.values(reviewers)
    .flat()
    .filter((each) => !isRoom(each) && each.name !== name);
  return [...new Set(people.map((each) => each.name))];
};

export function typedIn(fields: URLSearchParams): TypedAvailability {
  const of = (name: string): string => (fields.get(name) ?? "").trim();
  return { zone: of("zone"), from: of("from"), until: of("until"), to: of("to"), quiet: of("quiet"), loud: of("loud") };
}

/** Members that are empty are left out. */
function membersOf({ zone, from, until, to, quiet, loud }: TypedAvailability): JsonObject {
  return {
    ...(zone === "" ? {} : { timeZone: zone }),
    ...(from + until + to === "" ? {} : { away: { from, until, to } }),
    ...(quiet + loud === "" ? {} : { quietHours: { from: quiet, until: loud } }),
  };
}

/** What in it cannot be saved, before the policy is asked. */
function problemIn({ timeZone, away, quietHours }: JsonObject): AvailabilityProblem | null {
  if (!timeZoneSchema.optional().safeParse(timeZone).success) return "zone";
  if (!awaySchema.optional().safeParse(away).success) return "away";
  return quietHoursSchema.optional().safeParse(quietHours).success ? null : "quiet";
}

/** Writes them; null where they are saved, also where nothing changed. */
export async function saveAvailability(c: AppContext, { person }: Reader, typed: TypedAvailability): Promise<AvailabilityProblem | null> {
  const members = membersOf(typed);
  const problem = problemIn(members);
  if (problem !== null) return problem;
  for (let tries = 0; tries < mostTries; tries += 1) {
    const current = await currentDocument(c.env, "policy");
    const before = objectOf(parseJson(current.text));
    const known = before === null ? null : groupedReviewer(before, person.name);
    // They left the policy meanwhile, or have another address there.
    if (before === null || known === null || known["email"] !== person.email) return "busy";
    const { groups, timeZone: _zone, away: _away, quietHours: _quiet, ...rest } = known;
    const after = withReviewer(before, { ...rest, ...members }, groups as string[]); // of groupedReviewer
    if (JSON.stringify(after) === JSON.stringify(before)) return null;
    // Only who stands in can be wrong now, unless this version refuses the policy as it was.
    if (!parsePolicy(after).ok) return "away";
    const writer = { by: { kind: "inbox", email: person.email }, restored: null } as const;
    const written = await configStub(c.env).write("policy", current.version, JSON.stringify(after), writer);
    if (written.kind === "conflict") continue;
    serveDocument(c, "policy", after, written.version);
    return null;
  }
  return "busy";
}
