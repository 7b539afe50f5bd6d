// The relay reads a client's message, in the bytes that its server would get, once and in one way:
// what some server could read as another message is refused before anything in it is judged. No
// clock, no storage.

import { isDeeperThan } from "../json/json-rules.ts";
import { type Result, err, ok } from "../result.ts";
import { ambiguousName, ambiguousNameMessage } from "./member-names.ts";

/** `value`: what could be read of it, for the id of an answer. */
export type Unclear = { readonly code: -32_700 | -32_600; readonly message: string; readonly value: unknown };

/**
 * Objects and arrays inside one another. Jackson and Python's json read as many; no walk through
 * them fills a stack.
 */
const deepestMessage = 1_000;

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The JSON value of a message, or why it is refused. What is no JSON is refused too: Python's json
 * and pydantic also read `NaN`, and others commas and comments, so that a server would run what was
 * not judged.
 */
export function readClientMessage(bytes: Uint8Array): Result<unknown, Unclear> {
  const value = valueOf(bytes);
  if (value === undefined) return err({ code: -32_700, message: "Parse error: send JSON in UTF-8, without a byte order mark", value });
  const invalid = (message: string) => err({ code: -32_600, message, value } as const);
  if (isDeeperThan(deepestMessage, value)) return invalid(`Invalid Request: nested more than ${deepestMessage} levels deep`);
  const found = ambiguousName(bytes);
  return found === null ? ok(value) : invalid(ambiguousNameMessage(found));
}

/**
 * Undefined for what is no JSON in UTF-8: some server may read another text, in UTF-16 or without
 * the bytes that are no UTF-8.
 */
function valueOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(strictUtf8.decode(bytes));
  } catch {
    return undefined;
  }
}
