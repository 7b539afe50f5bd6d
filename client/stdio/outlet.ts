// One end that lines are written to: those that pass, one after the other with backpressure, and our own between them.

import type { Writable } from "node:stream";

export class Outlet {
  readonly #stream: Writable;
  /** Whether the last bytes that passed were within a line. */
  #isInLine = false;
  /** Our own lines, until the line that is passing has ended. */
  #held: string[] = [];
  #ownBacklogBytes = 0;
  #isBroken = false;
  readonly #waiting = new Set<() => void>();

  /** @param onBroken Called once when the other end is gone (EPIPE) or the stream failed. */
  constructor(stream: Writable, onBroken: () => void) {
    this.#stream = stream;
    const broken = (): void => {
      if (this.#isBroken) return;
      this.#isBroken = true;
      this.#held = [];
      this.#wake();
      onBroken();
    };
    stream.on("drain", () => this.#wake());
    stream.on("error", broken);
    stream.on("close", broken);
  }

  /** Passes bytes on; resolves when more may come. Never rejects: what goes to an end that is gone is dropped. */
  async pass(bytes: Uint8Array, endsLine: boolean): Promise<void> {
    if (this.#isBroken) return;
    this.#isInLine = !endsLine;
    const isReady = this.#stream.write(bytes, () => this.#wake());
    if (endsLine) for (const line of this.#held.splice(0)) this.say(line);
    if (!isReady) await this.#until(() => !this.#stream.writableNeedDrain);
  }

  /** Writes a line of our own, at once or as soon as the line that is passing has ended. Not held back by backpressure. */
  say(line: string): void {
    if (this.#isBroken || this.#stream.writableEnded) return;
    if (this.#isInLine) return void this.#held.push(line);
    const bytes = Buffer.from(`${line.trimEnd()}\n`);
    this.#ownBacklogBytes += bytes.length;
    this.#stream.write(bytes, () => {
      this.#ownBacklogBytes -= bytes.length;
      this.#wake();
    });
  }

  /** Resolves when at most so many bytes of our own are unwritten. */
  async ownBacklogBelow(limitBytes: number): Promise<void> {
    await this.#until(() => this.#ownBacklogBytes <= limitBytes);
  }

  /** Closes it after what was written. */
  end(): void {
    if (!this.#isBroken) this.#stream.end();
  }

  /** Resolves when everything was handed to the system, or the other end is gone. */
  async flushed(): Promise<void> {
    await this.#until(() => this.#stream.writableLength === 0);
  }

  #wake(): void {
    for (const each of this.#waiting) each();
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!this.#isBroken && !isSo()) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
      });
    }
  }
}
