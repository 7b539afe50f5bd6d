// The part of the policy that says what is masked, for whom, and who may lift it: its schema, and
// what applies to a request.

import * as z from "zod";
import { compileSearch } from "../json-schema/pattern.ts";
import { type RedactionTerms, searchLimits } from "../redaction/redact.ts";
import { type PolicyFacts, conditionsSchema, isAbout } from "./conditions.ts";
import { matchesGlob } from "./glob.ts";

/** A request's conditions that its content and its models do not decide. */
const when = conditionsSchema.pick({ subject: true, server: true, tool: true, method: true, key: true, provenance: true });

const pattern = z
  .string()
  .min(1)
  .max(500)
  .superRefine((source, context) => {
    const compiled = compileSearch(source, searchLimits.size);
    if (!compiled.ok) context.addIssue({ code: "custom", message: compiled.error });
    else if (compiled.value.matchesNothing) context.addIssue({ code: "custom", message: "matchesEmpty" });
  });

/** @param label As names of rules and people are. */
export const redactionSchema = (label: z.ZodString) => {
  const rule = z
    .strictObject({
      name: label,
      when: when.default({}),
      at: z
        .array(z.enum(["request", "reply", "notice"]))
        .min(1)
        .max(3)
        .default(["request", "reply"]),
      /** Secrets by their form: of known services, or also values of names such as `password`. */
      secrets: z.enum(["known", "assigned"]).optional(),
      /** A regular expression of the operator's own. */
      pattern: pattern.optional(),
    })
    .refine((each) => (each.secrets === undefined) !== (each.pattern === undefined), "secretsOrPattern");
  return z
    .strictObject({
      rules: z.array(rule).max(50).default([]),
      /** Groups and single reviewers who may see and lift what is masked. */
      mayLift: z.array(z.string().max(80)).max(50).default([]),
    })
    .default({ rules: [], mayLift: [] });
};

type RedactionPolicy = z.infer<ReturnType<typeof redactionSchema>>;

/** What applies to a request; null where nothing does. @param mayLift The names of the people. */
export function redactionTermsOf(
  { rules }: RedactionPolicy,
  mayLift: readonly string[],
  facts: Pick<PolicyFacts, "subject" | "server" | "tool" | "method" | "keyName" | "provenance">,
): RedactionTerms | null {
  const isMet = ({ when: asked }: RedactionPolicy["rules"][number]): boolean =>
    isAbout(asked, facts.subject) &&
    (asked.server === undefined || matchesGlob(asked.server, facts.server)) &&
    (asked.tool === undefined || matchesGlob(asked.tool, facts.tool)) &&
    (asked.method === undefined || matchesGlob(asked.method, facts.method)) &&
    (asked.key === undefined || matchesGlob(asked.key, facts.keyName)) &&
    (asked.provenance === undefined || asked.provenance === facts.provenance);
  const applying = rules
    .filter(isMet)
    .map(({ name, at, secrets, pattern: own = "" }) =>
      secrets === undefined ? { name, at, pattern: own, label: name } : { name, at, secrets },
    );
  return applying.length === 0 ? null : { rules: applying, mayLift };
}
