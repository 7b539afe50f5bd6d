// Ids of the page's pieces, for links to them.

import { isInArguments, isInReply, ordinalsIn } from "../../shared/review/editable-fields.ts";
import { editField } from "../../shared/review/form.ts";
import { answerPath } from "../../shared/review/written.ts";

/**
 * The id of the control of the field at `path`. Members of arguments have names from outside, and
 * an id has no space.
 */
export const controlId = (path: string): string => editField(encodeURI(path.toWellFormed()));

/** The id of the fold in which a reviewer writes the reply. */
export const ownReplyId = "own";

/** The id of the piece that shows the field at `path`. */
export function placeId(path: string): string {
  const [first] = ordinalsIn(path);
  if (path.startsWith("/messages/")) return `message-${first}`;
  if (path.startsWith("/tools/")) return `tool-${first}`;
  if (path.startsWith("/content/")) return `part-${first}`;
  if (isInReply(path)) return "structured";
  if (isInArguments(path)) return "arguments";
  if (path.startsWith("/definition")) return "definition";
  if (path === "/message") return "message-1";
  if (path === "/schema") return "schema";
  if (path.startsWith("/systemPrompt")) return "system-prompt";
  if (path === answerPath) return ownReplyId;
  return "settings";
}
