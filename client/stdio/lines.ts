// Cuts a stream of bytes into lines, as the stdio transport frames its messages. Never changes a
// byte; no clock, no I/O.

import { joinBytes } from "../../shared/bytes.ts";

const LINE_FEED = 0x0a;

export type Piece =
  /** A whole line with its line feed; the last of a stream may have none. */
  | { readonly kind: "line"; readonly bytes: Uint8Array }
  /** The next bytes of a line over the limit, which is not buffered but passes in parts. */
  | { readonly kind: "part"; readonly bytes: Uint8Array; readonly begins: boolean; readonly ends: boolean };

/**
 * All bytes pushed come out in order. A line is buffered until its end, up to `limitBytes` without
 * the line feed.
 */
export class LineCutter {
  readonly #limitBytes: number;
  #buffered: Uint8Array[] = [];
  #bufferedBytes = 0;
  /** Whether the current line is over the limit. */
  #isLong = false;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** The pieces that these bytes complete. */
  push(chunk: Uint8Array): Piece[] {
    const pieces: Piece[] = [];
    for (let from = 0; from < chunk.length;) {
      const lineFeed = chunk.indexOf(LINE_FEED, from);
      const ends = lineFeed !== -1;
      const to = ends ? lineFeed + 1 : chunk.length;
      this.#buffered.push(chunk.subarray(from, to));
      this.#bufferedBytes += to - from;
      from = to;
      if (this.#isLong || this.#bufferedBytes - (ends ? 1 : 0) > this.#limitBytes) {
        pieces.push({ kind: "part", begins: !this.#isLong, ends, bytes: this.#take() });
        this.#isLong = !ends;
      } else if (ends) pieces.push({ kind: "line", bytes: this.#take() });
    }
    return pieces;
  }

  /**
   * The rest when the stream has ended: a last line without line feed, or the end of a long one.
   */
  end(): Piece[] {
    const isLong = this.#isLong;
    this.#isLong = false;
    if (isLong) return [{ kind: "part", begins: false, ends: true, bytes: this.#take() }];
    return this.#bufferedBytes === 0 ? [] : [{ kind: "line", bytes: this.#take() }];
  }

  #take(): Uint8Array {
    const [only] = this.#buffered;
    const bytes = this.#buffered.length === 1 && only !== undefined ? only : joinBytes(this.#buffered);
    this.#buffered = [];
    this.#bufferedBytes = 0;
    return bytes;
  }
}
