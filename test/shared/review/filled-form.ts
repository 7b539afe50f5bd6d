// The fields of a schema as a browser shows them and sends them back, for tests of forms.

import { type SchemaField, boxControl, shownIn } from "../../../shared/json-schema/schema-fields.ts";

export const leavesOf = (field: SchemaField): SchemaField[] =>
  field.kind === "object" ? field.members.flatMap(leavesOf) : field.kind === "list" ? field.items.flatMap(leavesOf) : [field];

/** As a browser sends a form: line ends as CRLF, and boxes that are not checked not at all. */
export function submitted(field: SchemaField): Map<string, string> {
  const sent = new Map<string, string>();
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
