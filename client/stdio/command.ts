// The command `countersign`: reads its arguments, runs the server, and ends as the server ended. While it runs, stdout is the client's, and
// nothing of ours is printed there.

import { readCommandLine, USAGE } from "./command-line.ts";
import { type End, endLike } from "./server-process.ts";
import { wrap } from "./wrap.ts";

/** @param version What `--version` prints. */
export async function runCommand(version: string): Promise<void> {
  const line = readCommandLine(process.argv.slice(2), process.env);
  switch (line.kind) {
    case "help":
      process.stdout.write(USAGE);
      return;
    case "version":
      process.stdout.write(`${version}\n`);
      return;
    case "wrong":
      return refuse(line.why);
    case "run": {
      const running = tryStart(() => wrap(line.stdio, process.env));
      return running instanceof TypeError ? refuse(running.message) : endLike(await running);
    }
    default:
      return line satisfies never;
  }
}

function refuse(why: string): void {
  process.stderr.write(`countersign: ${why}\n\n${USAGE}`);
  process.exitCode = 2;
}

function tryStart(begin: () => Promise<End>): Promise<End> | TypeError {
  try {
    return begin();
  } catch (error) {
    if (error instanceof TypeError) return error;
    throw error;
  }
}
