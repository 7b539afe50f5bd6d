// A form that an MCP server asks a person to fill in, and what the person entered: elicitation in
// form mode.

import { anyObject, object, oneOf, text, type ReadOf } from "../../json/fields.ts";
import type { Walk } from "./walk.ts";

/** `schema`: its `requestedSchema`. */
export const form = object({ kind: oneOf(["form"]), server: text(), message: text(), schema: anyObject });

export const formAnswer = object({ kind: oneOf(["formAnswer"]), content: anyObject });

export type Form = ReadOf<typeof form>;
export type FormAnswer = ReadOf<typeof formAnswer>;

/** The message and the schema are the server's own: a reviewer answers them, and changes none. */
export const walkForm = (asked: Form, walk: Walk): Form => ({
  ...asked,
  message: walk.fixedText("/message", asked.message),
  schema: walk.fixedObject("/schema", asked.schema),
});

export const walkFormAnswer = (answer: FormAnswer, walk: Walk): FormAnswer => ({
  ...answer,
  content: walk.object("/content", answer.content),
});
