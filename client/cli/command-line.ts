// Reads the command line of `countersign`: which subcommand, or help, or what is wrong. Starts
// nothing, prints nothing.

import type { Ended, Environment, Subcommand } from "../subcommand.ts";
import { subcommands } from "./subcommands.ts";

type CommandLine =
  | { readonly kind: "run"; readonly usage: string; readonly run: () => Promise<Ended> }
  | { readonly kind: "help"; readonly usage: string }
  | { readonly kind: "version" }
  | { readonly kind: "wrong"; readonly usage: string; readonly why: string };

/** @param argv Everything after `countersign`. */
export async function readCommandLine(argv: readonly string[], env: Environment): Promise<CommandLine> {
  const [name, ...args] = argv;
  if (name === "--help" || name === "-h") return { kind: "help", usage: await overview() };
  if (name === "--version") return { kind: "version" };
  const wrong = async (why: string): Promise<CommandLine> => ({ kind: "wrong", usage: await overview(), why });
  const names = Object.keys(subcommands);
  const known = `there are ${names.slice(0, -1).join(", ")} and ${names.at(-1)}.`;
  if (name === undefined) return wrong(`a subcommand is missing; ${known}`);
  if (name.startsWith("-")) return wrong("unknown option, or one that comes before its subcommand.");
  const load = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
  if (load === undefined) return wrong(`unknown subcommand; ${known}`);
  return readSubcommand(await load(), args, env);
}

function readSubcommand({ usage, read }: Subcommand, args: readonly string[], env: Environment): CommandLine {
  // What stands behind `--` is another command's.
  const end = args.indexOf("--");
  const own = end === -1 ? args : args.slice(0, end);
  if (own.includes("--help") || own.includes("-h")) return { kind: "help", usage };
  if (own.includes("--version")) return { kind: "version" };
  const run = read(args, env);
  return typeof run === "function" ? { kind: "run", usage, run } : { ...run, usage };
}

async function overview(): Promise<string> {
  const loaded = await Promise.all(Object.entries(subcommands).map(async ([name, load]) => ({ name, ...(await load()) })));
  const width = Math.max(...loaded.map(({ name }) => name.length));
  return `Usage: countersign <subcommand> [options]

MCP sampling through a Countersign gateway, where people review it.

${loaded.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join("\n")}

countersign <subcommand> --help describes each. --version prints the version.
`;
}
