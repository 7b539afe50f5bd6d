// The adapter of each kind of content. A kind that is missing does not compile.

import { fits } from "../../json/fields.ts";
import type { SamplingReply, SamplingRequest } from "../../model/sampling.ts";
import { form, formAnswer } from "../../model/subject/form.ts";
import { type Content, type Plain, isPlain, walkPlain } from "../../model/subject/subject.ts";
import { toolCall, toolResult } from "../../model/subject/tool-call.ts";
import { messageReply, messageRequest } from "./message.ts";
import { unchanged } from "../../model/subject/walk.ts";
import { objectText } from "../editable-fields.ts";
import { type Part, fieldsBy } from "./part.ts";

const requestOf = (isOne: (value: unknown) => boolean): Part<Plain> => ({
  rewrite: walkPlain,
  fits: isOne,
  mayBeEmptied: false,
  invalid: "invalidRequest",
});

const replyOf = (isOne: (value: unknown) => boolean): Part<Plain> => ({
  rewrite: walkPlain,
  fits: isOne,
  mayBeEmptied: true,
  invalid: "invalidReply",
});

const plainParts: { readonly [Kind in Plain["kind"]]: Part<Plain> } = {
  toolCall: requestOf((value) => fits(toolCall, value)),
  toolResult: replyOf((value) => fits(toolResult, value)),
  form: requestOf((value) => fits(form, value)),
  formAnswer: replyOf((value) => fits(formAnswer, value)),
};

type AnyPart = Part<Plain> | Part<SamplingRequest> | Part<SamplingReply>;

function adapterOf(content: Content): AnyPart {
  if (isPlain(content)) return plainParts[content.kind];
  return "kind" in content ? messageRequest : messageReply;
}

export const partOf = <T extends Content>(content: T): Part<T> => adapterOf(content) as Part<T>; // of the content's own kind

/** Each editable field's text by its path, before any change. */
export const fieldsOf = <T extends Content>(content: T): Map<string, string> => fieldsBy(partOf(content).rewrite, content);

/** A text of a content as channels show it; `raw`: the value that it was made of. */
type ShownText = { readonly path: string; readonly text: string; readonly raw: unknown; readonly isFixed: boolean };

/** Every text of a content that is no message, in order. */
export function textsOf(content: Plain): ShownText[] {
  const texts: ShownText[] = [];
  const show =
    <T>(textIn: (value: T, json?: string) => string, isFixed: boolean) =>
    (path: string, raw: T, json?: string): T => {
      texts.push({ path, text: textIn(raw, json), raw, isFixed });
      return raw;
    };
  const text = (value: string): string => value;
  walkPlain(content, {
    ...unchanged,
    text: show(text, false),
    optionalText: show(text, false),
    object: show(objectText, false),
    fixedText: show(text, true),
    fixedObject: show(objectText, true),
  });
  return texts;
}
