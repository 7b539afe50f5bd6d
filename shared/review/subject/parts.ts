// The part of a review that each kind of content is.

import { fits } from "../../json/fields.ts";
import type { SamplingReply, SamplingRequest } from "../../model/sampling.ts";
import { type Content, type Plain, adapterOf, isPlain, walkPlain } from "../../model/subject/subject.ts";
import { messageReply, messageRequest } from "./message.ts";
import { unchanged } from "../../model/subject/walk.ts";
import { objectText } from "../editable-fields.ts";
import { type Part, fieldsBy } from "./part.ts";

function plainPart(content: Plain): Part<Plain> {
  const { schema, isReply } = adapterOf(content);
  return {
    rewrite: walkPlain,
    fits: (value) => fits(schema, value),
    mayBeEmptied: isReply,
    invalid: isReply ? "invalidReply" : "invalidRequest",
  };
}

type AnyPart = Part<Plain> | Part<SamplingRequest> | Part<SamplingReply>;

function anyPart(content: Content): AnyPart {
  if (isPlain(content)) return plainPart(content);
  return "kind" in content ? messageRequest : messageReply;
}

export const partOf = <T extends Content>(content: T): Part<T> => anyPart(content) as Part<T>; // of the content's own kind

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
