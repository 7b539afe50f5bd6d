// What an MCP server asks a person, and what the person answers: elicitation. In form mode there
// are fields to fill in, in URL mode there is an address to open.

import { anyObject, object, oneOf, optional, text, type ReadOf } from "../../json/fields.ts";
import type { Walk } from "./walk.ts";

/** `schema`: its `requestedSchema`, empty in URL mode. `url`: present in URL mode. */
export const form = object({ kind: oneOf(["form"]), server: text(), message: text(), schema: anyObject, url: optional(text()) });

/** `content` is empty in URL mode: that the address was opened is all that is known. */
export const formAnswer = object({ kind: oneOf(["formAnswer"]), content: anyObject });

export type Form = ReadOf<typeof form>;
export type FormAnswer = ReadOf<typeof formAnswer>;

/** All of it is the server's own: a reviewer answers, and changes none of it. */
export const walkForm = ({ url, ...asked }: Form, walk: Walk): Form => ({
  ...asked,
  message: walk.fixedText("/message", asked.message),
  ...(url === undefined ? { schema: walk.fixedObject("/schema", asked.schema) } : { url: walk.fixedText("/url", url) }),
});

export const walkFormAnswer = (answer: FormAnswer, walk: Walk): FormAnswer => ({
  ...answer,
  content: walk.object("/content", answer.content),
});
