// The command refuses a line of the client that servers could read in more than one way
// (`shared/relay/client-message.ts`).

import { readClientMessage, type Unclear } from "../../shared/relay/client-message.ts";
import { isObject } from "../../shared/json/values.ts";
import { failures, refusedIds } from "../../shared/wire/json-rpc.ts";
import { asNotification, asRequest } from "../rpc-messages.ts";

const CARRIAGE_RETURN = 0x0d;

/**
 * The error that the client gets in place of the line; null where the line is read in one way, or
 * has nothing but white space.
 */
export function lineRefusal(line: Uint8Array): string | null {
  if (!line.some((byte) => byte > 0x20)) return null;
  const read = readClientMessage(line);
  if (!read.ok) return errorLine(read.error);
  // Python's, Java's and .NET's readers of lines end one here too: a part of this message would be
  // a message of its own.
  const at = line.indexOf(CARRIAGE_RETURN);
  const why = at !== -1 && at < line.length - 2 ? "a carriage return stands inside the message" : isHidden(read.value) ? HIDDEN : null;
  return why === null ? null : errorLine({ code: -32_600, message: `Invalid Request: ${why}`, value: read.value });
}

const HIDDEN = "the id of a request is a text or a number, and its method a text";

/**
 * Whether some server may read a request where none is seen here: sampling for it would be taken
 * for another request's.
 */
function isHidden(value: unknown): boolean {
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
  return messages.some(
    (each) =>
      Array.isArray(each) || (isObject(each) && "method" in each && asRequest(each) === undefined && asNotification(each) === undefined),
  );
}

/** An error for each request of a line that is not passed on. */
export const errorLine = ({ code, message, value }: Omit<Unclear, "code"> & { readonly code: number }): string =>
  JSON.stringify(failures(refusedIds(value), { code, message }));
