// The values of the headers that repeat parts of a body, as text of ASCII: `Mcp-Name` and
// `Mcp-Param-…`. Source: 2026-07-28, basic/transports/streamable-http, "Value Encoding".

import { base64 } from "@scure/base";
import { utf8ToBytes } from "../../encoding.ts";

const prefix = "=?base64?";
const suffix = "?=";

/**
 * The header's value for a text: as it is where it is plain ASCII that no reader could take for
 * anything else, else its UTF-8 in Base64.
 */
export const encodeHeaderValue = (text: string): string =>
  /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/.test(text) && !(text.startsWith(prefix) && text.endsWith(suffix))
    ? text
    : prefix + base64.encode(utf8ToBytes(text.toWellFormed())) + suffix;

/** The text that a header's value stands for, or undefined where its Base64 is none or no UTF-8. */
export function decodeHeaderValue(value: string): string | undefined {
  if (!value.startsWith(prefix) || !value.endsWith(suffix)) return value;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(base64.decode(value.slice(prefix.length, -suffix.length)));
  } catch {
    return undefined;
  }
}
