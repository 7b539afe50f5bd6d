// Reads the command line and the environment of `countersign stdio`. Starts nothing, prints nothing.

import { parseArgs } from "node:util";
import { ASSOCIATION_MODES, type AssociationMode } from "../open-requests.ts";
import type { Mode } from "./declare.ts";

export const USAGE = `Usage: countersign stdio [options] -- <command> [arguments …]

Runs a stdio MCP server and gives it sampling with review by a person, whatever the client can do.

  --url <address>          the gateway's base address; by default $COUNTERSIGN_URL
  --server <name>          the server's name for policy and reviewers; by default the command's base name
  --mode <mode>            fulfil (default): the gateway answers sampling; forward: the client's own sampling, or none;
                           fallback: the client's own, and the gateway where it has none or fails (a person's no, -1, stands)
  --association <mode>     auto (default): sampling counts for the only request that is open, and is refused while several are;
                           inFlight: it counts for the newest of them; strict: only where its task is named
  --no-tools               do not declare tools in sampling (2025-11-25)
  --no-tasks               do not declare sampling as a task (2025-11-25)
  --hold <seconds>         how long a request of a client of 2026-07-28 waits for a person, before the client is told to ask again;
                           by default 50, because clients time out after 60
  --help, --version

The gateway's API key is read from $COUNTERSIGN_API_KEY and kept from the server's environment.
`;

export type StdioCommand = {
  readonly url: string;
  readonly apiKey: string;
  readonly server: string;
  readonly mode: Mode;
  readonly association: AssociationMode;
  readonly tools: boolean;
  readonly tasks: boolean;
  readonly holdSeconds: number;
  readonly command: string;
  readonly args: readonly string[];
};

export type CommandLine =
  | { readonly kind: "run"; readonly stdio: StdioCommand }
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  /** What is wrong, in one line without any argument's value. */
  | { readonly kind: "wrong"; readonly why: string };

const wrong = (why: string): CommandLine => ({ kind: "wrong", why });
const MODES: readonly Mode[] = ["fulfil", "forward", "fallback"];

/** A timer cannot be longer than 24 days. */
const MOST_HOLD_SECONDS = 86_400;

const OPTIONS = {
  url: { type: "string" },
  server: { type: "string" },
  mode: { type: "string" },
  association: { type: "string" },
  "no-tools": { type: "boolean" },
  "no-tasks": { type: "boolean" },
  hold: { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;

/** @param argv Everything after `countersign`. */
export function readCommandLine(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): CommandLine {
  const [word, ...rest] = argv;
  if (word === undefined) return wrong("a command is missing; the only one is stdio.");
  if (word === "--help" || word === "-h") return { kind: "help" };
  if (word === "--version") return { kind: "version" };
  if (word !== "stdio") return wrong("unknown command; the only one is stdio.");
  // Cut before parsing: all arguments after `--` are the server's.
  const end = rest.indexOf("--");
  const options = parsed(end === -1 ? rest : rest.slice(0, end));
  if (typeof options === "string") return wrong(options);
  if (options.help === true) return { kind: "help" };
  if (options.version === true) return { kind: "version" };
  const [command, ...args] = end === -1 ? [] : rest.slice(end + 1);
  if (command === undefined || command === "") return wrong("the server's command is missing; it stands behind --.");
  const mode = MODES.find((each) => each === (options.mode ?? "fulfil"));
  if (mode === undefined) return wrong("--mode must be fulfil, forward or fallback.");
  const association = ASSOCIATION_MODES.find((each) => each === (options.association ?? "auto"));
  if (association === undefined) return wrong("--association must be auto, strict or inFlight.");
  const holdSeconds = Number(options.hold ?? "50");
  if (options.hold?.trim() === "" || !(holdSeconds > 0 && holdSeconds <= MOST_HOLD_SECONDS))
    return wrong(`--hold must be a number of seconds, above 0 and up to ${MOST_HOLD_SECONDS}.`);
  const url = options.url ?? env["COUNTERSIGN_URL"] ?? "";
  if (url === "") return wrong("the gateway's address is missing; give --url or set COUNTERSIGN_URL.");
  const apiKey = env["COUNTERSIGN_API_KEY"] ?? "";
  if (apiKey === "") return wrong("COUNTERSIGN_API_KEY is not set; it must hold an API key of the gateway.");
  const tools = options["no-tools"] !== true;
  const tasks = options["no-tasks"] !== true;
  const server = options.server ?? baseName(command);
  return { kind: "run", stdio: { url, apiKey, server, mode, association, tools, tasks, holdSeconds, command, args } };
}

function parsed(args: readonly string[]): ReturnType<typeof parse> | string {
  try {
    return parse(args);
  } catch (error) {
    // Node's own messages quote the argument, which may be a key that was given by mistake.
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ERR_PARSE_ARGS_UNKNOWN_OPTION") return "unknown option.";
    if (code === "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL") return "unexpected argument; the server's command stands behind --.";
    return "an option has no value, or one that it does not take.";
  }
}

const parse = (args: readonly string[]) => parseArgs({ args: [...args], options: OPTIONS, strict: true, allowPositionals: false }).values;

/** The last part of a path, without the endings that Windows adds. */
function baseName(command: string): string {
  const last = command.split(/[/\\]/).findLast((part) => part !== "") ?? command;
  return last.replace(/\.(exe|cmd|bat|com)$/i, "") || last;
}
