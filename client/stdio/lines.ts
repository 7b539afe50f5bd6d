// Cuts a stream of bytes into lines, as the stdio transport frames its messages. Never changes a byte; no clock, no I/O.

import { joinBytes } from "../../shared/bytes.ts";

const LINE_FEED = 0x0a;

export type Piece =
  /** A whole line with its line feed; the last of a stream may have none. */
  | { readonly kind: "line"; readonly bytes: Uint8Array }
  /** The next bytes of a line over the limit: such a line is not kept, but goes by as it comes. */
  | { readonly kind: "part"; readonly bytes: Uint8Array; readonly begins: boolean; readonly ends: boolean };

/**
 * What is put in comes out, in order and whole, whatever chunks it comes in. A line is kept until its end is there, up to
 * `limitBytes` without the line feed.
 */
export class LineCutter {
  readonly #limitBytes: number;
  #kept: Uint8Array[] = [];
  #keptBytes = 0;
  /** Whether the line that is under way has been found to be over the limit. */
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
      this.#kept.push(chunk.subarray(from, to));
      this.#keptBytes += to - from;
      from = to;
      if (this.#isLong || this.#keptBytes - (ends ? 1 : 0) > this.#limitBytes) {
        pieces.push({ kind: "part", begins: !this.#isLong, ends, bytes: this.#take() });
        this.#isLong = !ends;
      } else if (ends) pieces.push({ kind: "line", bytes: this.#take() });
    }
    return pieces;
  }

  /** What is left when the stream has ended: a last line without line feed, or the end of a long one. */
  end(): Piece[] {
    const isLong = this.#isLong;
    this.#isLong = false;
    if (isLong) return [{ kind: "part", begins: false, ends: true, bytes: this.#take() }];
    return this.#keptBytes === 0 ? [] : [{ kind: "line", bytes: this.#take() }];
  }

  #take(): Uint8Array {
    const [only] = this.#kept;
    const bytes = this.#kept.length === 1 && only !== undefined ? only : joinBytes(this.#kept);
    this.#kept = [];
    this.#keptBytes = 0;
    return bytes;
  }
}
