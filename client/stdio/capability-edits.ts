// How a client's capabilities change on their way to the server, as edits of the line that they
// stand in.

import { type Edit, memberOf, type Span, textAt, withMembers } from "../../shared/json/spans.ts";
import { ourExtensions } from "../../shared/wire/extension-keys.ts";

/**
 * Sets these members of the capabilities, and adds our extensions to the experimental ones. The
 * bytes of the client's own stay.
 */
export function declaringEdits(line: Uint8Array, capabilities: Span, members: Readonly<Record<string, unknown>>): Edit[] {
  const experimental = memberOf(line, capabilities, "experimental");
  return experimental !== undefined && textAt(line, experimental).startsWith("{")
    ? [...withMembers(line, capabilities, members), ...withMembers(line, experimental, ourExtensions)]
    : withMembers(line, capabilities, { ...members, experimental: ourExtensions });
}
