// The fields of a schema as a browser shows them and sends them back, for tests of forms.

import { alternativeControl, boxControl, drawnControl } from "../../../shared/json-schema/field-controls.ts";
import { type SchemaField, shownIn } from "../../../shared/json-schema/schema-field.ts";

export function leavesOf(field: SchemaField): SchemaField[] {
  if (field.kind === "union") return field.inner === null ? [] : leavesOf(field.inner);
  return field.kind === "object" ? field.members.flatMap(leavesOf) : field.kind === "list" ? field.items.flatMap(leavesOf) : [field];
}

type Union = Extract<SchemaField, { readonly kind: "union" }>;

export function unionsOf(field: SchemaField): Union[] {
  if (field.kind === "union") return [field, ...(field.inner === null ? [] : unionsOf(field.inner))];
  return field.kind === "object" ? field.members.flatMap(unionsOf) : field.kind === "list" ? field.items.flatMap(unionsOf) : [];
}

/** As a browser sends a form: line ends as CRLF, and boxes that are not checked not at all. */
export function submitted(field: SchemaField): Map<string, string> {
  const sent = new Map<string, string>();
  for (const union of unionsOf(field))
    for (const control of [alternativeControl(union), drawnControl(union)]) sent.set(control, String(union.chosen ?? ""));
  for (const leaf of leavesOf(field)) {
    sent.set(leaf.pointer, leaf.kind === "choices" ? "" : shownIn(leaf).replaceAll(/\r\n?|\n/g, "\r\n"));
    if (leaf.kind === "choices")
      leaf.options.forEach(({ json }, i) => {
        const values = leaf.source === undefined ? [] : (JSON.parse(leaf.source) as unknown[]).map((each) => JSON.stringify(each));
        if (values.includes(json)) sent.set(boxControl(leaf, i), "on");
      });
  }
  return sent;
}
