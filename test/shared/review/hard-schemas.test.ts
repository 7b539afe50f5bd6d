// Calls of real tools whose schemas are hard to draw: every field is on the page, what nobody
// touches keeps its bytes, and every value can be edited into another one that the schema allows.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../shared/encoding.ts";
import type { SchemaField } from "../../../shared/json-schema/schema-field.ts";
import { boxControl } from "../../../shared/json-schema/field-controls.ts";
import { type ToolCall, argumentsJsonOf, argumentsOf, withArguments } from "../../../shared/model/subject/tool-call.ts";
import { argumentFields, editedCall } from "../../../shared/review/call-fields.ts";
import { editField } from "../../../shared/review/form.ts";
import { typedCall } from "../../outside/pages/examples.ts";
import { renderedReview } from "../../rest/pages/rendered.ts";
import { leavesOf, submitted } from "./filled-form.ts";

type HardTool = {
  readonly package: string;
  readonly version: string;
  readonly tool: string;
  readonly arguments: string;
  readonly inputSchema: JsonObject;
};
const tools = JSON.parse(readFileSync(new URL("../../fixtures/tools/hard-schemas.json", import.meta.url), "utf8")) as HardTool[]; // its own shape

const callOf = ({ package: server, tool, inputSchema, arguments: json }: HardTool): ToolCall => ({
  kind: "toolCall",
  server,
  tool,
  ...argumentsOf(json),
  definition: { inputSchema },
});

function fieldOf(call: ToolCall): SchemaField {
  const fields = argumentFields(call);
  if (fields === null) throw new Error("a schema that cannot be read");
  return fields.field;
}

/** What somebody might type into a field in place of what it shows. */
function othersFor(leaf: SchemaField): readonly Readonly<Record<string, string>>[] {
  const { pointer } = leaf;
  switch (leaf.kind) {
    case "text":
      return ["changed", "223e4567-e89b-42d3-a456-426614174000", "https://example.com/b"].map((text) => ({ [pointer]: text }));
    case "number":
      return ["3", "4", "0.5"].map((text) => ({ [pointer]: text }));
    case "choice":
      return leaf.options.map(({ json }) => ({ [pointer]: json }));
    case "choices":
      return leaf.options.map((_, i) => ({ [boxControl(leaf, i)]: "on" }));
    default:
      return ['{"changed":1}', '{"changed":"asc"}', '[{"changed":1}]', '["changed"]', '"changed"', "3", "true"].map((text) => ({
        [pointer]: text,
      }));
  }
}

describe.each(tools.map((tool) => [`${tool.package} ${tool.version}, ${tool.tool}`, tool] as const))("%s", (_name, tool) => {
  const call = callOf(tool);
  const field = fieldOf(call);
  const sent = submitted(field);

  test("has a control for each value on the page", () => {
    const html = renderedReview({ ...typedCall, request: call });
    const controls = field.kind === "object" ? [...sent.keys()].map(editField) : [editField("/arguments")];
    for (const name of controls) expect(html).toContain(`name="${name.replaceAll('"', "&quot;").replaceAll("&", "&amp;")}"`);
  });

  test("comes back untouched, byte for byte", () => {
    const read = editedCall(call, field.kind === "object" ? sent : new Map());
    expect(read.ok && argumentsJsonOf(read.value)).toBe(tool.arguments.replaceAll(/(?<=:) (?=\{)/g, ""));
  });

  test("lets each value that is there be edited", () => {
    if (field.kind !== "object") return;
    const stuck = leavesOf(field).filter((leaf) => {
      const isOnlyOne = leaf.kind === "choice" && leaf.options.length === 1;
      if (leaf.source === undefined || isOnlyOne) return false;
      return othersFor(leaf).every((typed) => {
        const read = editedCall(call, new Map([...sent, ...Object.entries(typed)]));
        return !read.ok || argumentsJsonOf(read.value) === argumentsJsonOf(call);
      });
    });
    expect(stuck.map(({ pointer, kind }) => `${pointer} ${kind}`)).toEqual([]);
  });
});

describe("the page of a call", () => {
  const pageOf = (inputSchema: JsonObject, json: string): string => {
    const request = withArguments({ ...typedCall.request, definition: { inputSchema } }, json);
    const html = renderedReview({ ...typedCall, request });
    return html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
  };

  test("tells what is meant, and what is allowed, where nothing is set", () => {
    const page = pageOf(
      {
        type: "object",
        properties: {
          limit: { type: "integer", default: 10, exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER },
          code: { type: "string", pattern: "^[A-Z]+$" },
          nested: { type: "object", properties: { inner: { type: "string", description: "What is inside." } } },
        },
      },
      '{"nested":{"inner":"a"}}',
    );
    expect(page).toContain("not set, default: 10, 1 or more");
    expect(page).toContain("not set, pattern ^[A-Z]+$");
    expect(page).toMatch(/nested\.inner +What is inside\./);
  });

  test("says of a call without arguments that it has none", () => {
    expect(pageOf({ type: "object", properties: {} }, "{}")).toMatch(/Run +delete_branch +without arguments/);
    expect(pageOf({ type: "object" }, '{"a":1}')).toMatch(/untrusted text +Arguments /);
  });
});
