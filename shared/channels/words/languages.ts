// The languages that have a catalogue, and which of them a reader gets.

/** A language that has a catalogue. */
export type Language = "en" | "zh-CN";

/**
 * The catalogue for a language tag (BCP 47). Chinese is simplified where its script is: written in
 * the tag, or else the usual one of its country (`Intl.Locale`), so `zh`, `zh-CN`, `zh-Hans` and
 * `zh-SG`. Traditional Chinese (`zh-Hant`, `zh-TW`, `zh-HK`, `zh-MO`) has no catalogue: its readers
 * get the next language that they want, or English, and not a script that they did not ask for.
 */
function languageOfTag(tag: string): Language | undefined {
  const { language, script } = localeOf(tag) ?? {};
  if (language === "zh") return script === "Hans" ? "zh-CN" : undefined;
  return language === "en" ? "en" : undefined;
}

function localeOf(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag).maximize();
  } catch {
    // Not a tag: `*`, or anything that a browser's header may hold.
    return undefined;
  }
}

/** The tags of an Accept-Language header, the most wanted first (RFC 9110, 12.5.4). */
const wantedTags = (header: string): string[] =>
  header
    .split(",")
    .map((range) => {
      const [tag = "", weight] = range.split(";");
      return { tag: tag.trim(), weight: weight === undefined ? 1 : Number(/^\s*q=([01](?:\.\d{0,3})?)\s*$/i.exec(weight)?.[1] ?? 0) };
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);

/**
 * The language for a reader: that of the reviewer's `language`, a tag as a policy has it; or else
 * the first of `acceptLanguage` that has a catalogue; or else English.
 */
export const languageFor = (reviewer: string | undefined, acceptLanguage?: string | null): Language =>
  [...(reviewer === undefined ? [] : [reviewer]), ...wantedTags(acceptLanguage ?? "")]
    .map(languageOfTag)
    .find((each) => each !== undefined) ?? "en";
