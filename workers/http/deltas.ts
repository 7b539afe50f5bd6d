// The text of a reply on its way to a stream that opens a moment after the model was asked: what comes before that is kept for it.

export class Deltas {
  #before: string[] = [];
  #sink: ((text: string) => void) | null = null;
  /** Whether anything was said. */
  any = false;

  readonly push = (text: string): void => {
    this.any = true;
    if (this.#sink === null) this.#before.push(text);
    else this.#sink(text);
  };

  /** From now on it goes there, beginning with what came before. */
  open(sink: (text: string) => void): void {
    for (const text of this.#before) sink(text);
    this.#before = [];
    this.#sink = sink;
  }
}
