// Reads the text of an answer from elsewhere, bounded: what is over the limit is let go of and not read to its end.

/** The body's text, or undefined where it is longer than `mostBytes`. */
export async function textWithin(body: ReadableStream<Uint8Array> | null, mostBytes: number): Promise<string | undefined> {
  if (body === null) return "";
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > mostBytes) {
      // Not awaited: who does not stop may not say that they were let go either.
      reader.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}
