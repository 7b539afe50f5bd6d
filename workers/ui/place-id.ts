// Ids of the page's pieces, for links to them.

import { ordinalsIn } from "../../shared/review/editable-fields.ts";
import { answerPath } from "../../shared/review/written.ts";

/** The id of the fold in which a reviewer writes the reply. */
export const ownReplyId = "own";

/** The id of the piece that shows the field at `path`. */
export function placeId(path: string): string {
  const [first] = ordinalsIn(path);
  if (path.startsWith("/messages/")) return `message-${first}`;
  if (path.startsWith("/tools/")) return `tool-${first}`;
  if (path.startsWith("/content/")) return `part-${first}`;
  if (path === "/structuredContent") return "structured";
  if (path === "/arguments") return "arguments";
  if (path === "/message") return "message-1";
  if (path.startsWith("/systemPrompt")) return "system-prompt";
  if (path === answerPath) return ownReplyId;
  return "settings";
}
