// Reading a request's body, bounded: what is over the limit is refused before it is read to its end.

/** The body's text; `tooLarge` where it is over `limitBytes`, by its header or by what arrives; `notUtf8` where it is no text. */
export async function readBody(request: Request, limitBytes: number): Promise<{ text: string } | "tooLarge" | "notUtf8"> {
  const bytes = await readBytes(request, limitBytes);
  if (bytes === "tooLarge") return "tooLarge";
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes) };
  } catch {
    return "notUtf8";
  }
}

/** The body as it came, for what is signed over its bytes. */
export async function readBytes(request: Request, limitBytes: number): Promise<Uint8Array | "tooLarge"> {
  const declared = Number(request.headers.get("Content-Length") ?? "0");
  if (declared > limitBytes) return "tooLarge";
  if (request.body === null) return new Uint8Array();
  // Most bodies say how long they are, and then cannot be longer.
  const bytes = declared > 0 ? new Uint8Array(await request.arrayBuffer()) : await readBounded(request.body, limitBytes);
  return bytes === null || bytes.length > limitBytes ? "tooLarge" : bytes;
}

/** The whole of a stream of bytes, or null where there are more than `limitBytes`: then it is let go of. */
export async function readBounded(body: ReadableStream<Uint8Array>, limitBytes: number): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > limitBytes) {
      // Not awaited: who does not stop may not say that they were let go either.
      reader.cancel().catch(() => {});
      return null;
    }
    parts.push(value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
