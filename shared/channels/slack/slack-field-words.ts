// The labels of the fields of a Slack message or dialog.

import type { Gate } from "../../model/gate.ts";
import { type SubjectRequest, plainSubjectOf } from "../../model/subject/subject.ts";
import { inputResponsesPath } from "../../model/subject/tool-call.ts";
import { placeWords } from "../content-words.ts";
import { ordinalsIn } from "../../review/editable-fields.ts";
import { type Text, textOf } from "../../words/text.ts";
import type { NoticeWords } from "../words/notice-words.ts";

/** The label of a field, from its path and the kind of request. */
export function fieldWords(
  path: string,
  { gate, kind }: { readonly gate: Gate; readonly kind: SubjectRequest["kind"] },
  words: NoticeWords,
): string {
  const {
    lang,
    review: { place },
    slack: { labels },
  } = words;
  const [first = 0, second = 0] = ordinalsIn(path);
  const numbered = (text: Text<"n">, n: number): string => textOf(text, { n: String(n) }, lang);
  const subject = plainSubjectOf(kind);
  if (path === "/arguments" || path === inputResponsesPath || (subject !== null && subject !== "toolCall"))
    return placeWords(path, words, kind);
  if (subject === "toolCall")
    return path.endsWith("/structuredContent") ? labels.structured : place.result + (first > 1 ? numbered(place.part, first) : "");
  if (kind === "embedding" && path.startsWith("/messages/")) return numbered(place.text, first);
  if (path === "/systemPrompt") return place.systemPrompt;
  if (path === "/maxTokens") return labels.maxTokens;
  if (path === "/temperature") return place.temperature;
  if (path.startsWith("/stopSequences/")) return numbered(place.stopSequence, first);
  if (path.startsWith("/messages/")) return numbered(place.message, first) + numbered(place.part, second);
  return gate === "response" ? place.reply + numbered(place.part, first) : labels.other;
}
