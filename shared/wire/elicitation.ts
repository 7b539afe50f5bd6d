// The params of `elicitation/create` and its result, in every revision that has it. A revision of
// the 2025 family also carries an id for an address, which its server's own notice names again and
// nothing here needs. Sources: `ElicitRequestParams` and `ElicitResult` of each revision's schema.

import type { JsonObject } from "../encoding.ts";
import { object, oneOf, optional, anyObject, text, withDefault } from "../json/fields.ts";
import { type ParamsRefusal, IssueCollector } from "../json/issue-collector.ts";
import { checkJson } from "../json/json-rules.ts";
import { objectOf } from "../json/values.ts";
import type { Elicited } from "../model/outcome.ts";
import type { Form } from "../model/subject/form.ts";
import { type Result, err, ok } from "../result.ts";
import { formFields } from "../json-schema/form-fields.ts";
import { type SamplingMeta, samplingMeta } from "./mcp-2025/meta.ts";

type ParsedElicitation = { readonly asked: Omit<Form, "kind" | "server">; readonly meta: SamplingMeta };

/** In UTF-16 code units, as JSON: so that a person can read the page, and an object keep it. */
const longestParams = 100_000;

const meta = optional(samplingMeta);
const params = object({ mode: withDefault("form", oneOf(["form", "url"])), message: text({ min: 1 }), _meta: meta });
const formParams = object({ requestedSchema: anyObject });
const urlParams = object({ url: text({ min: 1, max: 8_000 }) });

/**
 * What is asked. Refused: what no revision allows, a task, which is not declared, a form that is
 * not flat, an address that `addressFault` finds something wrong with, and what is too long.
 */
export function parseElicitation(given: unknown, addressFault: (url: string) => string | null): Result<ParsedElicitation, ParamsRefusal> {
  const issues = new IssueCollector();
  checkJson(given, issues);
  if (issues.found.length === 0 && JSON.stringify(given).length > longestParams)
    issues.add("", `must not be longer than ${longestParams} characters`);
  if (issues.found.length > 0) return err({ kind: "invalid", errors: issues.found });
  const { mode, message, _meta } = params.read(given, "", issues);
  const { task } = objectOf(given) ?? {};
  if (task !== undefined) issues.add("/task", "was not declared by the client");
  const asked = issues.found.length > 0 ? { schema: {} } : mode === "url" ? urlOf(given, issues, addressFault) : schemaOf(given, issues);
  const refusal = issues.invalid();
  return refusal === undefined ? ok({ asked: { message, ...asked }, meta: _meta ?? {} }) : err(refusal);
}

function schemaOf(given: unknown, issues: IssueCollector): Pick<Form, "schema"> {
  const { requestedSchema: schema } = formParams.read(given, "", issues);
  const fields = issues.found.length > 0 ? null : formFields(schema, "/requestedSchema");
  if (fields?.ok === false) for (const { pointer, message } of fields.error) issues.add(pointer, message);
  return { schema };
}

function urlOf(given: unknown, issues: IssueCollector, addressFault: (url: string) => string | null): Pick<Form, "schema" | "url"> {
  const { url } = urlParams.read(given, "", issues);
  const fault = issues.found.length > 0 ? null : addressFault(url);
  if (fault !== null) issues.add("/url", fault);
  // As browsers read it: what a person sees of it is where it leads.
  return { schema: {}, url: fault === null && URL.canParse(url) ? new URL(url).href : url };
}

/** `content` only with an answer to a form. */
export const elicitResult = (outcome: Elicited): JsonObject => ({
  action: outcome.action,
  ...(outcome.action === "accept" && outcome.content !== null ? { content: outcome.content } : {}),
});
