// A form and a person's answer as they are reviewed. The person who approves a form fills it in:
// its answer is what the approval carries.

import { fits } from "../../json/fields.ts";
import { type Form, type FormAnswer, form, formAnswer } from "../../model/subject.ts";
import type { Part } from "./part.ts";

export const formRequest: Part<Form> = {
  // The message and the schema are the server's own: a reviewer answers them, and changes neither.
  rewrite: (value) => value,
  fits: (value) => fits(form, value),
  mayBeEmptied: false,
  invalid: "invalidRequest",
};

export const formReply: Part<FormAnswer> = {
  rewrite: (answer, rewrite) => ({ ...answer, content: rewrite.object("/content", answer.content) }),
  fits: (value) => fits(formAnswer, value),
  mayBeEmptied: true,
  invalid: "invalidReply",
};
