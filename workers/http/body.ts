// Reads bodies within a limit: a longer one is refused before it is read to its end.

import { joinBytes } from "../../shared/bytes.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/**
 * The body's text; `tooLarge` over `limitBytes`, by its header or by what arrives; `notUtf8` where
 * it is not UTF-8.
 */
export async function readBody(request: Request, limitBytes: number): Promise<{ text: string } | "tooLarge" | "notUtf8"> {
  const bytes = await readBytes(request, limitBytes);
  if (bytes === "tooLarge") return "tooLarge";
  try {
    return { text: utf8.decode(bytes) };
  } catch {
    return "notUtf8";
  }
}

/** The body's bytes, unchanged: signatures cover them. */
export async function readBytes(request: Request, limitBytes: number): Promise<Uint8Array | "tooLarge"> {
  const declared = Number(request.headers.get("Content-Length") ?? "0");
  if (declared > limitBytes) return "tooLarge";
  if (request.body === null) return new Uint8Array();
  // A body with a Content-Length cannot be longer than it says.
  const bytes = declared > 0 ? new Uint8Array(await request.arrayBuffer()) : await readBounded(request.body, limitBytes);
  return bytes === null || bytes.length > limitBytes ? "tooLarge" : bytes;
}

/** A whole stream, or null where it is longer than `limitBytes`: then it is cancelled. */
export async function readBounded(body: ReadableStream<Uint8Array>, limitBytes: number): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = [];
  return (await readWithin(body, limitBytes, (part) => parts.push(part))) ? joinBytes(parts) : null;
}

/** The bytes of another service's answer, or null where they are more than `limitBytes`. */
export async function readAnswer(answer: Response, limitBytes: number): Promise<Uint8Array | null> {
  const { body } = answer;
  if (body === null) return new Uint8Array();
  return isWithin(answer, limitBytes) ? new Uint8Array(await answer.arrayBuffer()) : readBounded(body, limitBytes);
}

/** JSON in another encoding is none to us, and some clients read it. A NUL stands in no JSON. */
export function utf8TextOf(bytes: Uint8Array): string | null {
  try {
    const text = utf8.decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

/**
 * Whether an answer says that it is no longer. The connection enforces a Content-Length; one of
 * compressed bytes does not bound them.
 */
export function isWithin({ headers }: Response, limitBytes: number): boolean {
  const length = headers.get("Content-Length");
  return length !== null && Number(length) <= limitBytes && !headers.has("Content-Encoding");
}

/**
 * The text of another service's answer, or undefined where it is longer than `limitBytes`: then it
 * is cancelled.
 */
export async function readText(body: ReadableStream<Uint8Array> | null, limitBytes: number): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  const isWhole = body === null || (await readWithin(body, limitBytes, (part) => (text += decoder.decode(part, { stream: true }))));
  return isWhole ? text + decoder.decode() : undefined;
}

/** Passes every part to `take`; false where they are more than `limitBytes` together. */
async function readWithin(body: ReadableStream<Uint8Array>, limitBytes: number, take: (part: Uint8Array) => void): Promise<boolean> {
  const reader = body.getReader();
  for (let length = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return true;
    length += value.length;
    if (length > limitBytes) {
      // Not awaited: a sender that does not stop may not answer the cancellation either.
      reader.cancel().catch(() => {});
      return false;
    }
    take(value);
  }
}
