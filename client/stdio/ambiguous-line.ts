// The command refuses a line of the client that servers could read in more than one way (`shared/relay/member-names.ts`).

import { ambiguousName, ambiguousNameMessage } from "../../shared/relay/member-names.ts";
import { failures, refusedIds } from "../../shared/wire/json-rpc.ts";

/** Of EF BB BF, with which no JSON begins. A decoder skips it, and what finds members in the bytes does not. */
const byteOrderMark = 0xef;

/** The error that the client gets in place of the line; null where the line is read in one way, or is no JSON. `value`: the line, parsed. */
export function ambiguousRefusal(line: Uint8Array, value: unknown): string | null {
  if (value === undefined) return null;
  const found = ambiguousName(line);
  if (found === null && line[0] !== byteOrderMark) return null;
  const message = found === null ? "Invalid Request: send JSON without a byte order mark" : ambiguousNameMessage(found);
  return JSON.stringify(failures(refusedIds(value), { code: -32_600, message }));
}
