// A stream to write lines to: those that pass, with backpressure, and our own between them.

import type { Writable } from "node:stream";

export class Outlet {
  readonly #stream: Writable;
  /** Whether the last bytes that passed were within a line. */
  #isInLine = false;
  /** Our own lines that wait for the end of the line that passes. */
  #queued: string[] = [];
  #ownBacklogBytes = 0;
  #isBroken = false;
  readonly #waiting = new Set<() => void>();

  /** @param onBroken Called once, when the other end has closed (EPIPE) or the stream fails. */
  constructor(stream: Writable, onBroken: () => void) {
    this.#stream = stream;
    const broken = (): void => {
      if (this.#isBroken) return;
      this.#isBroken = true;
      this.#queued = [];
      this.#wake();
      onBroken();
    };
    stream.on("drain", () => this.#wake());
    stream.on("error", broken);
    stream.on("close", broken);
  }

  /**
   * Passes bytes on; resolves when more may come. Never rejects: after the other end has closed,
   * bytes are dropped.
   */
  async pass(bytes: Uint8Array, endsLine: boolean): Promise<void> {
    if (this.#isBroken) return;
    this.#isInLine = !endsLine;
    const isReady = this.#stream.write(bytes, () => this.#wake());
    if (endsLine) for (const line of this.#queued.splice(0)) this.say(line);
    if (!isReady) await this.#until(() => !this.#stream.writableNeedDrain);
  }

  /**
   * Writes a line of our own, at once or after the line that passes. It does not wait for
   * backpressure.
   */
  say(line: string): void {
    if (this.#isBroken || this.#stream.writableEnded) return;
    if (this.#isInLine) return void this.#queued.push(line);
    const bytes = Buffer.from(`${line.trimEnd()}\n`);
    this.#ownBacklogBytes += bytes.length;
    this.#stream.write(bytes, () => {
      this.#ownBacklogBytes -= bytes.length;
      this.#wake();
    });
  }

  /** Resolves when at most `limitBytes` of our own are unwritten. */
  async ownBacklogBelow(limitBytes: number): Promise<void> {
    await this.#until(() => this.#ownBacklogBytes <= limitBytes);
  }

  /** Closes the stream after all writes. */
  end(): void {
    if (!this.#isBroken) this.#stream.end();
  }

  /** Resolves when every write has reached the system, or the other end has closed. */
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
