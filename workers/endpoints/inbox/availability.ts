// A reviewer's own holiday and quiet hours, which they set in their inbox. They are members of the
// reviewer in the policy.

import type { JsonObject } from "../../../shared/json-types.ts";
import { isRoom } from "../../../shared/notice-channels.ts";
import { awaySchema, quietHoursSchema, timeZoneSchema } from "../../../shared/policy/availability.ts";
import type { Policy } from "../../../shared/policy/rules.ts";
import type { AvailabilityInput, AvailabilityProblem } from "../../ui/inbox/availability.tsx";
import type { AppContext } from "../app-context.ts";
import { writeOwnEntry } from "./own-entry.ts";
import { type Person, type Reader, currentDocuments } from "./reader.ts";

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
  const written = await writeOwnEntry(c, person, ({ timeZone: _zone, away: _away, quietHours: _quiet, ...rest }) => ({
    ...rest,
    ...members,
  }));
  // Only who stands in can be wrong now, unless this version refuses the policy as it was.
  return written === "refused" ? "away" : written === "busy" ? "busy" : null;
}
