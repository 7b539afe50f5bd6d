// A reply's text on its way to a stream that opens a moment after the model call: earlier text is
// buffered.

export class Deltas {
  #buffered: string[] = [];
  #sink: ((text: string) => void) | null = null;
  /** Whether any text came. */
  any = false;

  readonly push = (text: string): void => {
    this.any = true;
    if (this.#sink === null) this.#buffered.push(text);
    else this.#sink(text);
  };

  /** Sends the buffered text to `sink`, and all later text. */
  open(sink: (text: string) => void): void {
    for (const text of this.#buffered) sink(text);
    this.#buffered = [];
    this.#sink = sink;
  }
}
