// A body that is held open, read bit by bit; and the frames of server-sent events.

export class Stream {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  /** Everything that was read. */
  text = "";

  constructor(response: Response) {
    if (response.body === null) throw new Error("no body");
    this.#reader = response.body.getReader();
  }

  /** What comes next; "" at the end. */
  async next(): Promise<string> {
    const { done, value } = await this.#reader.read();
    const part = done ? "" : this.#decoder.decode(value, { stream: true });
    this.text += part;
    return part;
  }

  async rest(): Promise<string> {
    let rest = "";
    for (let part = await this.next(); part !== ""; part = await this.next()) rest += part;
    return rest;
  }

  /** As a caller whose connection is lost. */
  leave(): Promise<void> {
    return this.#reader.cancel();
  }
}

export type Frame = string;

/** Whole frames, in order. */
export const framesOf = (text: string): Frame[] => text.split("\n\n").slice(0, -1);

export const isComment = (frame: Frame): boolean => frame.startsWith(":");

/** The JSON of a frame's data. */
export function messageOf(frame: Frame | undefined): unknown {
  const data = (frame ?? "").split("\n").filter((line) => line.startsWith("data: "));
  return JSON.parse(data.map((line) => line.slice("data: ".length)).join("\n"));
}

/** Reads a stream until the text has come. */
export async function readUntil(stream: ReadableStreamDefaultReader<Uint8Array>, found: RegExp): Promise<RegExpExecArray> {
  let text = "";
  for (;;) {
    const match = found.exec(text);
    if (match !== null) return match;
    const { done, value } = await stream.read();
    if (done) throw new Error(`it ended before ${found}: ${text}`);
    text += new TextDecoder().decode(value);
  }
}
