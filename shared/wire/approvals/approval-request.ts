// What POST /approvals takes: a call that its sender is about to make of a tool, and waits with.

import * as z from "zod";
import type { JsonObject } from "../../encoding.ts";
import { checkExact } from "../../json/exact.ts";
import { IssueCollector, pointerStep } from "../../json/issue-collector.ts";
import { checkJson } from "../../json/json-rules.ts";
import { isObject, parseJson } from "../../json/values.ts";
import type { Refusal } from "../../model/outcome.ts";
import { type Result, err, ok } from "../../result.ts";
import { CONTROL_SERVER, V1_SERVER } from "../mcp-2025/meta.ts";

/** The server of a call whose sender names none. */
const APPROVALS_SERVER = "approvals";

const anyObject = () => z.custom<JsonObject>(isObject, "must be an object").meta({ type: "object" });

/** Read by people, by rules and by the record: nothing in it is invisible or breaks the line. */
const label = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((value) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value), "must have no control or invisible characters");

export const approvalRequest = () =>
  z.strictObject({
    tool: label(256),
    arguments: anyObject(),
    /** What the client answers the tool's server with this call, by key (MCP 2026-07-28). */
    inputResponses: anyObject().exactOptional(),
    server: label(128)
      .refine((name) => name !== CONTROL_SERVER && name !== V1_SERVER, "is a reserved name")
      .default(APPROVALS_SERVER),
    title: z.string().max(200).exactOptional(),
    description: z.string().max(10_000).exactOptional(),
    /** The JSON Schema of the arguments. */
    schema: anyObject().exactOptional(),
    /** MCP's hints about the tool. */
    annotations: anyObject().exactOptional(),
    /** What the tool returns may be brought here, where a rule is about that. */
    returnsResult: z.boolean().exactOptional(),
    /** Its result comes by another request, so that it cannot be brought here. */
    asTask: z.boolean().exactOptional(),
  });

/** What the tool returned: MCP's `CallToolResult`. */
export const returnedResult = () => z.strictObject({ result: anyObject() });

/**
 * A body as `schema` has it. Refused, with pointers: also a body of which a person would not see
 * all that another reader of it sees. `digits`: also of numbers.
 */
export function readExactly<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
  exact?: { readonly digits: boolean },
): Result<z.infer<Schema>, Refusal> {
  const value = parseJson(text);
  if (value === undefined) return err({ kind: "notJson" });
  const issues = new IssueCollector();
  checkJson(value, issues);
  if (issues.found.length === 0) checkExact(text, issues, exact);
  const read = issues.found.length === 0 ? schema.safeParse(value) : null;
  if (read?.success === true) return ok(read.data);
  for (const { path, message } of read?.error.issues ?? []) issues.add(path.map((step) => pointerStep(String(step))).join(""), message);
  return err({ kind: "invalidParams", errors: issues.found });
}
