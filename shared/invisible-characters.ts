// Finds the characters of a text that a reader would not see, and names them. It changes nothing.
//
// Ordinary uses are left alone: a joined emoji, a joiner inside Persian or an Indic script, `\r\n`,
// and the spaces of ordinary writing (U+00A0, U+202F, U+3000). The same characters anywhere else
// hide something, and are found.

import { once } from "./once.ts";

export type InvisibleCharacter = {
  /** Index and length in UTF-16 code units. */
  readonly at: number;
  readonly length: number;
  readonly codePoint: number;
  readonly kind: "bidi" | "zeroWidth" | "tag" | "control" | "other";
  /** Unicode's name, in lower case, or what class the character belongs to. */
  readonly name: string;
};

/**
 * Most texts are plain ASCII: one pass of this finds where a closer look has to begin, if anywhere.
 */
const notPlain = /[^\t\n\x20-\x7e]/;

// Scripts in which U+200C and U+200D change what is drawn, so that between two of their letters
// they are spelling.
const joining =
  "\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Mongolian}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}" +
  "\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Khmer}\\p{Script=Myanmar}";

const pictograph = "\\p{Extended_Pictographic}[\\u{1f3fb}-\\u{1f3ff}]?[\\ufe0e\\ufe0f]?";

// The three flags that Unicode recommends for interchange: England, Scotland, Wales. Any other run
// of tags is a message.
const flag =
  "\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}";

const ordinary = [
  "\\r\\n",
  flag,
  `${pictograph}(?:\\u200d${pictograph})*`,
  "[0-9#*]\\ufe0f?\\u20e3",
  `(?<=[${joining}])[\\u200c\\u200d](?=[${joining}])`,
  "(?<=\\p{Script=Mongolian})[\\u180b-\\u180d\\u180f]",
];

// Default_Ignorable_Code_Point is Unicode's own list of what is not drawn. Beside it: controls,
// lone surrogates, private use, noncharacters, separators, annotation marks, the object
// placeholder, the braille blank, and spaces of odd widths.
const invisible =
  "[[\\p{Default_Ignorable_Code_Point}\\p{Cc}\\p{Cs}\\p{Co}\\p{Noncharacter_Code_Point}\\u1680\\u2000-\\u200a\\u2028\\u2029\\u205f\\u2800\\ufff9-\\ufffc]--[\\t\\n]]";

/** It takes the runtime some milliseconds to make. */
const notOrdinary = once(() => new RegExp(`(?:${ordinary.join("|")})|(?<invisible>${invisible})`, "gv"));

const names: ReadonlyMap<number, string> = new Map([
  [0x00, "null"],
  [0x07, "bell"],
  [0x08, "backspace"],
  [0x0b, "vertical tab"],
  [0x0c, "form feed"],
  [0x0d, "carriage return"],
  [0x1b, "escape"],
  [0x7f, "delete"],
  [0x85, "next line"],
  [0xad, "soft hyphen"],
  [0x034f, "combining grapheme joiner"],
  [0x061c, "arabic letter mark"],
  [0x115f, "hangul choseong filler"],
  [0x1160, "hangul jungseong filler"],
  [0x1680, "ogham space mark"],
  [0x180e, "mongolian vowel separator"],
  [0x200b, "zero width space"],
  [0x200c, "zero width non-joiner"],
  [0x200d, "zero width joiner"],
  [0x200e, "left-to-right mark"],
  [0x200f, "right-to-left mark"],
  [0x2028, "line separator"],
  [0x2029, "paragraph separator"],
  [0x202a, "left-to-right embedding"],
  [0x202b, "right-to-left embedding"],
  [0x202c, "pop directional formatting"],
  [0x202d, "left-to-right override"],
  [0x202e, "right-to-left override"],
  [0x2060, "word joiner"],
  [0x2061, "function application"],
  [0x2062, "invisible times"],
  [0x2063, "invisible separator"],
  [0x2064, "invisible plus"],
  [0x2066, "left-to-right isolate"],
  [0x2067, "right-to-left isolate"],
  [0x2068, "first strong isolate"],
  [0x2069, "pop directional isolate"],
  [0x2800, "braille blank"],
  [0x3164, "hangul filler"],
  [0xfeff, "zero width no-break space"],
  [0xffa0, "halfwidth hangul filler"],
  [0xfffc, "object replacement character"],
]);

const within = (codePoint: number, first: number, last: number): boolean => codePoint >= first && codePoint <= last;

function kindOf(codePoint: number): InvisibleCharacter["kind"] {
  if (within(codePoint, 0xe0000, 0xe007f)) return "tag";
  if (within(codePoint, 0x202a, 0x202e) || within(codePoint, 0x2066, 0x2069) || [0x061c, 0x200e, 0x200f].includes(codePoint)) return "bidi";
  if (within(codePoint, 0x200b, 0x200d) || [0x034f, 0x180e, 0x2060, 0xfeff].includes(codePoint)) return "zeroWidth";
  if (codePoint < 0x20 || within(codePoint, 0x7f, 0x9f) || codePoint === 0x2028 || codePoint === 0x2029) return "control";
  return "other";
}

function nameOf(codePoint: number): string {
  const known = names.get(codePoint);
  if (known !== undefined) return known;
  if (within(codePoint, 0xe0020, 0xe007e)) return `tag ${JSON.stringify(String.fromCharCode(codePoint - 0xe0000))}`;
  if (within(codePoint, 0xe0000, 0xe007f)) return "tag";
  if (within(codePoint, 0xfe00, 0xfe0f)) return `variation selector ${codePoint - 0xfe00 + 1}`;
  if (within(codePoint, 0xe0100, 0xe01ef)) return `variation selector ${codePoint - 0xe0100 + 17}`;
  if (within(codePoint, 0x180b, 0x180f)) return "mongolian variation selector";
  if (within(codePoint, 0x2000, 0x200a) || codePoint === 0x205f) return "space of unusual width";
  if (within(codePoint, 0xd800, 0xdfff)) return "lone surrogate";
  if (within(codePoint, 0xe000, 0xf8ff) || (codePoint >= 0xf0000 && (codePoint & 0xfffe) !== 0xfffe)) return "private use";
  if (within(codePoint, 0xfff9, 0xfffb)) return "interlinear annotation";
  if (within(codePoint, 0xfdd0, 0xfdef) || (codePoint & 0xfffe) === 0xfffe) return "noncharacter";
  return kindOf(codePoint) === "control" ? "control character" : "invisible character";
}

/**
 * Every character of `text` that a reader would not see, in order; linear in the text. `\n`, `\t`
 * and `\r\n` are line ends and tabs, a lone `\r` is a control character. Plain ASCII costs one pass
 * of one expression.
 */
export function findInvisible(text: string): InvisibleCharacter[] {
  const start = text.search(notPlain);
  if (start === -1) return [];
  const found: InvisibleCharacter[] = [];
  // One character earlier: a keycap's digit, or the letter in front of a joiner, belongs to what is
  // looked at.
  const pattern = notOrdinary();
  pattern.lastIndex = Math.max(0, start - 1);
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const character = match.groups?.["invisible"];
    const codePoint = character?.codePointAt(0);
    if (character === undefined || codePoint === undefined) continue;
    found.push({ at: match.index, length: character.length, codePoint, kind: kindOf(codePoint), name: nameOf(codePoint) });
  }
  return found;
}
