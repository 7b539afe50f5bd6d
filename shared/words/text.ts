// Texts that people read, as data: a text with places, and the one renderer that puts values into
// them. Which text is said is decided outside the catalogues (docs/decisions/words-as-data.md).

declare const places: unique symbol;

/**
 * A text with these places: `{name}` is a value, and `{name, one/other}` the form that stands with
 * the number `name`, in which `#` is the number itself; `{name, }` says nothing. Every string may
 * stand here, because a translation has the same places, which a test asserts.
 */
export type Text<Places extends string = string> = string & { readonly [places]?: Places };

/** The names of the places in a text. */
export type PlacesIn<Said extends string> = Said extends `${string}{${infer Place}}${infer Rest}`
  ? (Place extends `${infer Name}, ${string}` ? Name : Place) | PlacesIn<Rest>
  : never;

/** The same members with any words in them: what each language's catalogue is. */
export type Texts<Catalogue> = Catalogue extends string
  ? Text<PlacesIn<Catalogue>>
  : { readonly [Name in keyof Catalogue]: Texts<Catalogue[Name]> };

/**
 * What is said, before it is in a language: a key of a flat catalogue, and the values of the places
 * in its text. JSON, because phrases are stored and sent.
 */
export type Phrase<Catalogue extends Readonly<Record<string, string>>> =
  | { readonly key: Exclude<keyof Catalogue & string, Placed<Catalogue>>; readonly values?: never }
  | {
      readonly [Key in Placed<Catalogue>]: {
        readonly key: Key;
        readonly values: Readonly<Record<PlacesIn<Catalogue[Key]>, PhraseValue>>;
      };
    }[Placed<Catalogue>];

/** The keys whose texts have places. */
type Placed<Catalogue extends Readonly<Record<string, string>>> = {
  readonly [Key in keyof Catalogue & string]: [PlacesIn<Catalogue[Key]>] extends [never] ? never : Key;
}[keyof Catalogue & string];

/** A phrase of any catalogue. */
export type AnyPhrase = { readonly key: string; readonly values?: Readonly<Record<string, PhraseValue>> };

/**
 * A text stands as it is, a number as the language writes it, several values with commas and its
 * word for "and", or for "or". A phrase is one of the same catalogue.
 */
export type PhraseValue = string | number | AnyPhrase | readonly PhraseValue[] | { readonly anyOf: readonly PhraseValue[] };

/** A text with its values, in parts. A place without a value stays. */
export function textParts<Value>(text: string, values: Readonly<Record<string, Value>>, locale: string): (string | Value)[] {
  return text
    .split(/(\{\w+(?:, [^{}]*)?\})/)
    .filter((part) => part !== "")
    .map((part) => {
      const [, name = "", forms] = /^\{(\w+)(?:, ([^{}]*))?\}$/.exec(part) ?? [];
      const value = values[name];
      if (value === undefined) return part;
      if (forms === "") return "";
      if (typeof value !== "number") return value;
      const written = value.toLocaleString(locale);
      if (forms === undefined) return written;
      const [one = "", other = one] = forms.split("/");
      return (pluralRules(locale).select(value) === "one" ? one : other).replace("#", written);
    });
}

/** The same where all values are texts and numbers. */
export const textOf = <Places extends string>(
  text: Text<Places>,
  values: Readonly<Record<NoInfer<Places>, string | number>>,
  locale: string,
): string => textParts<string | number>(text, values, locale).join("");

type Catalogue = Readonly<Record<string, string>>;

/** Undefined where the catalogue has no such key, as for a phrase of another version. */
export function phraseText({ key, values = {} }: AnyPhrase, catalogue: Catalogue, locale: string): string | undefined {
  const text = Object.hasOwn(catalogue, key) ? catalogue[key] : undefined;
  if (text === undefined) return undefined;
  const said = Object.entries(values).map(([name, value]) => [name, valueText(value, catalogue, locale)] as const);
  return textParts(text, Object.fromEntries(said), locale).join("");
}

function valueText(value: PhraseValue, catalogue: Catalogue, locale: string): string | number {
  if (typeof value === "string" || typeof value === "number") return value;
  if ("key" in value) return phraseText(value, catalogue, locale) ?? "";
  const [items, format] = "anyOf" in value ? [value.anyOf, anyOf] : [value, allOf];
  const said = items.map((each) => valueText(each, catalogue, locale).toLocaleString(locale));
  return said.length < 2 ? said.join("") : format(locale).format(said);
}

/** Several texts with commas and the language's word for "and". */
export const listText = (items: readonly string[], locale: string): string => allOf(locale).format(items);

function kept<T>(make: (locale: string) => T): (locale: string) => T {
  const made = new Map<string, T>();
  return (locale) => {
    const known = made.get(locale) ?? make(locale);
    made.set(locale, known);
    return known;
  };
}

/** Each takes the runtime milliseconds to make. */
const pluralRules = kept((locale) => new Intl.PluralRules(locale));
const allOf = kept((locale) => new Intl.ListFormat(locale, { type: "conjunction" }));
const anyOf = kept((locale) => new Intl.ListFormat(locale, { type: "disjunction" }));
