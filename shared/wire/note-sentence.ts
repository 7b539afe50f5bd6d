// What was left out or changed on the way to the model, in sentences for the caller.

import type { Note } from "../model/call.ts";
import { unreachable } from "../result.ts";

/** The names of the parameters, which the endpoints that answer with sentences have in common. */
const fields = {
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  stopSequences: "stop",
  metadata: "metadata",
  toolChoice: "the choice of tools",
  responseFormat: "response_format",
} as const;

export function noteSentence(note: Note): string {
  switch (note.kind) {
    case "omitted":
      return `Left out: ${fields[note.field]}. ${note.why}`;
    case "clamped":
      return `Changed: ${fields[note.field]} from ${note.from} to ${note.to}, the nearest value that the model supports.`;
    case "overLimit":
      return `The model reported ${note.reportedTokens} tokens where max_tokens allowed ${note.maxTokens}; the reply was ${note.cut ? "" : "not "}cut.`;
    case "contextAdded":
      return `${note.characters} characters of context were added to the system prompt.`;
    case "notPassedOn":
      return `Not passed on: ${note.members.join(", ")}.`;
    case "toolNeedsSampling":
      return "The tool requires sampling from its caller, which a function call does not offer. Call the tool through the relay (/mcp/{server}) to give it a model's reply.";
    default:
      return unreachable(note);
  }
}
