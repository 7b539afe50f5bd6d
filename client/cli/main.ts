// The command `countersign`. The package has it built as JavaScript; in a checkout it runs as it
// is, on Node 22.18 or later.
//
// Exit codes: those of the subcommand; 2 where the command line is wrong or the gateway could not
// be asked.

import { readCommandLine } from "./command-line.ts";
import { Unasked } from "../subcommand.ts";
import { VERSION } from "./version.ts";

/** @returns the exit code. */
async function main(): Promise<number> {
  const line = await readCommandLine(process.argv.slice(2), process.env);
  switch (line.kind) {
    case "help":
      process.stdout.write(line.usage);
      return 0;
    case "version":
      process.stdout.write(`${VERSION}\n`);
      return 0;
    case "wrong":
      return refused(line.why, line.usage);
    case "run": {
      const ended = await line.run();
      return ended.kind === "ended" ? ended.code : refused(ended.why, line.usage);
    }
    default:
      return line satisfies never;
  }
}

function refused(why: string, usage: string): 2 {
  process.stderr.write(`countersign: ${why}\n\n${usage}`);
  return 2;
}

process.exitCode = await main().catch((error: unknown) => {
  if (!(error instanceof Unasked)) throw error;
  process.stderr.write(`countersign: ${error.message}.\n`);
  return 2;
});
