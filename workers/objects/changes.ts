// Whoever waits, in an object, for its next change.

export class Changes {
  readonly #waiting = new Set<() => void>();

  /** Resolves at the next change, or after `ms`. */
  next(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#waiting.add(done);
    });
  }

  tell(): void {
    for (const changed of this.#waiting) changed();
  }
}
