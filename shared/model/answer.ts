// What the caller of a run that has ended gets: a result or an error, as a value that every wire can carry.

import type { JsonObject } from "../encoding.ts";

export type AnswerError = { readonly code: number; readonly message: string; readonly data?: JsonObject };

export type Answer = { readonly result: JsonObject } | { readonly error: AnswerError };
