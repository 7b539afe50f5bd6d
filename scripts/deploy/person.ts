// Questions to the person at the terminal.

import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";

export type Person = {
  /** The answer, trimmed. */
  readonly ask: (question: string) => Promise<string>;
  /** The same, and what is typed is not shown. */
  readonly askHidden: (question: string) => Promise<string>;
};

/** Null where nobody can be asked: no terminal, CI, or `--yes`. */
export function personAt({ asksNothing }: { readonly asksNothing: boolean }): Person | null {
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  return isTerminal && !asksNothing && !process.env["CI"]
    ? { ask: (question) => read(question, false), askHidden: (question) => read(question, true) }
    : null;
}

async function read(question: string, isHidden: boolean): Promise<string> {
  // Readline clears the line that it begins on, and must know what stands there.
  if (isHidden) process.stdout.write(question);
  const shown = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isHidden) process.stdout.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, output: shown, terminal: true });
  // Ctrl-C and the end of the input end the program, as everywhere.
  const stopped = new Promise<never>((_resolve, reject) => {
    lines.once("SIGINT", () => reject(new Interrupted()));
    lines.once("close", () => reject(new Interrupted()));
  });
  try {
    return (await Promise.race([lines.question(isHidden ? "" : question), stopped])).trim();
  } finally {
    stopped.catch(() => {});
    lines.close();
    if (isHidden) process.stdout.write("\n");
  }
}

export class Interrupted extends Error {}

/** Whether the answer is yes; an empty one is. */
export const isYes = (answer: string): boolean => /^(?:y(?:es)?)?$/i.test(answer);
