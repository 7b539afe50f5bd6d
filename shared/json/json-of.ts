// JSON that our own Workers and objects write, send to each other and store. Between objects a text
// costs less than the values in it, and a row holds text. The text's type says which value it is
// of, so the compiler sees to it that the reader takes what the writer gave.

declare const held: unique symbol;

/** The JSON of a `T`. */
export type JsonOf<T> = string & { readonly [held]: T };

export const jsonOf = <T>(value: T): JsonOf<T> => JSON.stringify(value) as JsonOf<T>;

/** The JSON of a list of what these texts are of. */
export const jsonOfList = <T>(texts: readonly JsonOf<T>[]): JsonOf<T[]> => `[${texts.join(",")}]` as JsonOf<T[]>;

/**
 * The value that was given to `jsonOf`. What comes from outside goes through a reader, which checks
 * it.
 */
export const readJsonOf = <T>(text: JsonOf<T>): T => JSON.parse(text) as T;
