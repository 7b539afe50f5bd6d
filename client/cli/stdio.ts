// `countersign stdio`: runs the server, and ends as the server ended. While it runs, stdout is the
// client's, and nothing of ours is printed there.

import { readStdio, USAGE } from "../stdio/command-line.ts";
import { type End, endLike } from "../stdio/server-process.ts";
import { wrap } from "../stdio/wrap.ts";
import { endedWith, isWrongUse, type Subcommand, wrongUse } from "../subcommand.ts";

export const stdio: Subcommand = {
  summary: "runs a stdio MCP server and gives it sampling, whatever its client can do",
  usage: USAGE,
  read: (args, env) => {
    const read = readStdio(args, env);
    if (isWrongUse(read)) return read;
    return async () => {
      const running = tryStart(() => wrap(read, env));
      return running instanceof TypeError ? wrongUse(running.message) : endedWith(endLike(await running));
    };
  },
};

/** The address, the key and the server's name are checked where they are used. */
function tryStart(begin: () => Promise<End>): Promise<End> | TypeError {
  try {
    return begin();
  } catch (error) {
    if (error instanceof TypeError) return error;
    throw error;
  }
}
