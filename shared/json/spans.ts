// Finds the parts of a JSON text, so that one can be replaced and the others keep their bytes:
// numbers that a parser would round, the order of names, white space. Only for bytes that
// JSON.parse has accepted; for others the spans mean nothing.

import { joinBytes } from "../bytes.ts";

/** From the first byte of a value up to, and without, `to`. */
export type Span = { readonly from: number; readonly to: number };
type Member = Span & { readonly name: string };

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** A member's value: the last one where a name is repeated, like JSON.parse. */
export const memberOf = (bytes: Uint8Array, object: Span, name: string): Span | undefined =>
  membersOf(bytes, object).findLast((member) => member.name === name);

export const whole = (bytes: Uint8Array): Span => ({ from: 0, to: bytes.length });

/** The member to which these names lead, from the object that a text is. */
export const memberIn = (bytes: Uint8Array, ...names: readonly string[]): Span | undefined =>
  names.reduce<Span | undefined>((object, name) => (object === undefined ? undefined : memberOf(bytes, object, name)), whole(bytes));

/** The members of an object, in order. Empty for any other value. */
export function membersOf(bytes: Uint8Array, value: Span): Member[] {
  const members: Member[] = [];
  let at = skipSpace(bytes, value.from);
  if (bytes[at] !== OPEN_BRACE) return members;
  at = skipSpace(bytes, at + 1);
  while (at < value.to && bytes[at] !== CLOSE_BRACE) {
    const nameEnd = skipValue(bytes, at);
    const name = String(JSON.parse(decoder.decode(bytes.subarray(at, nameEnd))));
    const from = skipSpace(bytes, skipSpace(bytes, nameEnd) + 1);
    const to = skipValue(bytes, from);
    members.push({ name, from, to });
    at = skipSpace(bytes, to);
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
  }
  return members;
}

/** The elements of an array, in order. Empty for any other value. */
export function elementsOf(bytes: Uint8Array, value: Span): Span[] {
  const elements: Span[] = [];
  let at = skipSpace(bytes, value.from);
  if (bytes[at] !== OPEN_BRACKET) return elements;
  at = skipSpace(bytes, at + 1);
  while (at < value.to && bytes[at] !== CLOSE_BRACKET) {
    const to = skipValue(bytes, at);
    elements.push({ from: at, to });
    at = skipSpace(bytes, to);
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
  }
  return elements;
}

export const textAt = (bytes: Uint8Array, { from, to }: Span): string => decoder.decode(bytes.subarray(from, to));

export type Edit = Span & { readonly text: string };

/** The bytes with the edits made, whose spans must not overlap. */
export function edited(bytes: Uint8Array, edits: readonly Edit[]): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.from - b.from)) {
    parts.push(bytes.subarray(at, edit.from), encoder.encode(edit.text));
    at = edit.to;
  }
  parts.push(bytes.subarray(at));
  return joinBytes(parts);
}

/** Sets members of an object: replaces the value where there is one, else puts the member first. */
export function withMembers(bytes: Uint8Array, object: Span, members: Readonly<Record<string, unknown>>): Edit[] {
  const known = membersOf(bytes, object);
  const edits: Edit[] = [];
  const added: string[] = [];
  for (const [name, value] of Object.entries(members)) {
    const text = JSON.stringify(value);
    const old = known.findLast((member) => member.name === name);
    if (old !== undefined) edits.push({ from: old.from, to: old.to, text });
    else added.push(`${JSON.stringify(name)}:${text}`);
  }
  const inside = skipSpace(bytes, object.from) + 1;
  if (added.length > 0) edits.push({ from: inside, to: inside, text: added.join(",") + (known.length > 0 ? "," : "") });
  return edits;
}

/** Takes a member out of an object; nothing else of it changes. */
export function withoutMember(bytes: Uint8Array, object: Span, name: string): Edit[] {
  const members = membersOf(bytes, object);
  const at = members.findLastIndex((member) => member.name === name);
  const [member, before] = [members[at], members[at - 1]];
  if (member === undefined) return [];
  const after = skipSpace(bytes, member.to);
  const to = before === undefined && bytes[after] === COMMA ? after + 1 : member.to;
  return [{ from: before?.to ?? skipSpace(bytes, object.from) + 1, to, text: "" }];
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at += 1;
  return at;
}

/** The end of the string that begins here. */
function skipString(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

/**
 * The end of the value that begins here. Not recursive, because the sender decides how deep it
 * nests.
 */
function skipValue(bytes: Uint8Array, from: number): number {
  let at = from;
  let depth = 0;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === QUOTE) at = skipString(bytes, at);
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1;
      at += 1;
      continue;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (depth === 0) return at;
      depth -= 1;
      at += 1;
    } else if (byte === COMMA || byte === COLON || isSpace(byte)) {
      if (depth === 0) return at;
      at += 1;
      continue;
    } else {
      at += 1;
      // The next byte of a number or a word.
      continue;
    }
    if (depth === 0) return at;
  }
  return at;
}

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
