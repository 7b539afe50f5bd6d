// The parts of a JSON-RPC message in its bytes, and edits of single ones: all others keep theirs.

import { type Edit, type Span, edited, elementsOf, memberIn, memberOf, whole, withoutMember } from "../json/spans.ts";
import { clientCapabilitiesKey, tasksExtension } from "../wire/mcp-2026/meta-keys.ts";

/** Of a message; an empty span where it has none. */
export const paramsIn = (message: Uint8Array): Span => memberIn(message, "params") ?? { from: 0, to: 0 };

/** The messages of a batch, or the one message that a text is. */
export function messagesIn(bytes: Uint8Array): readonly Span[] {
  const batch = elementsOf(bytes, whole(bytes));
  return batch.length === 0 ? [whole(bytes)] : batch;
}

/** The message under another id, as JSON. */
export function withId(message: Uint8Array, id: string): Uint8Array {
  const at = memberIn(message, "id");
  return at === undefined ? message : edited(message, [{ ...at, text: id }]);
}

/**
 * The edits that take the tasks extension out of a request's capabilities: its server's task would
 * give its result to another request.
 */
export function withoutTasksEdits(request: Uint8Array): readonly Edit[] {
  const capabilities = memberIn(request, "params", "_meta", clientCapabilitiesKey);
  const extensions = capabilities === undefined ? undefined : memberOf(request, capabilities, "extensions");
  return extensions === undefined ? [] : withoutMember(request, extensions, tasksExtension);
}
