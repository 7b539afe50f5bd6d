// Reads the command line and the environment of `countersign stdio`. Starts nothing, prints
// nothing.

import { parseArgs } from "node:util";
import type { ToolNames } from "../../shared/policy/tool-names.ts";
import { type Environment, isWrongUse, readArguments, type WrongUse, wrongUse } from "../subcommand.ts";
import { ASSOCIATION_MODES, type AssociationMode } from "../sampling-connection.ts";
import type { Mode } from "./declare.ts";

export const USAGE = `Usage: countersign stdio [options] -- <command> [arguments …]

Runs a stdio MCP server and gives it sampling with review by a person, whatever the client can do.

  --url <address>          the gateway's base address; by default $COUNTERSIGN_URL
  --server <name>          the server's name for policy and reviewers; by default the command's base name
  --mode <mode>            fulfil (default): the gateway answers sampling; forward: the client's own sampling, or none;
                           fallback: the client's own, and the gateway where it has none or fails (a person's no, -1, stands)
  --elicitation <mode>     who answers the server's forms, and opens addresses for it: forward (default): the client;
                           fulfil: a person, through the gateway; fallback: the client, and a person where it has no forms
  --elicitation-host <host>  a host to which the server may lead a person; by default any; may be given several times
  --association <mode>     auto (default): sampling counts for the only request that is open, and is refused while several are;
                           inFlight: it counts for the newest of them; strict: only where its task is named
  --review-calls           ask the gateway before each call of a tool; by default calls go to the server unasked
  --allow-tools <glob>     let the client see and call only tools of this name, such as read_*; may be given several times
  --deny-tools <glob>      keep tools of this name from the client, in any spelling; may be given several times
  --no-tools               do not declare tools in sampling (2025-11-25)
  --no-tasks               do not declare sampling as a task (2025-11-25)
  --hold <seconds>         how long a request of a client of 2026-07-28 waits for a person, before the client is told to ask again;
                           by default 50, because clients time out after 60
  --tokens <dollars>       lets the server have tokens for the gateway's /v1, each for one request of the client and no more than so much money for it; by
                           default it gets none
  --help, --version

The gateway's API key is read from $COUNTERSIGN_API_KEY and kept from the server's environment.
`;

/** What the command line asks for. */
export type StdioCommand = {
  readonly url: string;
  readonly apiKey: string;
  readonly server: string;
  readonly mode: Mode;
  readonly elicitation: Mode;
  /** The hosts to which a server may lead a person; undefined: any. */
  readonly elicitationHosts: readonly string[] | undefined;
  readonly association: AssociationMode;
  readonly tools: boolean;
  readonly tasks: boolean;
  readonly reviewsCalls: boolean;
  /** Null: the client sees all tools, and may call them. */
  readonly shownTools: ToolNames | null;
  readonly holdSeconds: number;
  /** US dollars that may be spent with one token for /v1; undefined: the server gets none. */
  readonly tokenUsd: number | undefined;
  readonly command: string;
  readonly args: readonly string[];
};

const MODES: readonly Mode[] = ["fulfil", "forward", "fallback"];

/** A timer cannot be longer than 24 days. */
const MOST_HOLD_SECONDS = 86_400;

/** As the gateway has it (docs/v1.md). */
const MOST_TOKEN_USD = 1_000;

const OPTIONS = {
  url: { type: "string" },
  server: { type: "string" },
  mode: { type: "string" },
  elicitation: { type: "string" },
  "elicitation-host": { type: "string", multiple: true },
  "review-calls": { type: "boolean" },
  "allow-tools": { type: "string", multiple: true },
  "deny-tools": { type: "string", multiple: true },
  association: { type: "string" },
  "no-tools": { type: "boolean" },
  "no-tasks": { type: "boolean" },
  hold: { type: "string" },
  tokens: { type: "string" },
} as const;

/** @param given Everything after `countersign stdio`. */
export function readStdio(given: readonly string[], env: Environment): StdioCommand | WrongUse {
  // Cut before parsing: all arguments after `--` are the server's.
  const end = given.indexOf("--");
  const options = readArguments(
    () =>
      parseArgs({ args: end === -1 ? [...given] : given.slice(0, end), options: OPTIONS, strict: true, allowPositionals: false }).values,
    "unexpected argument; the server's command stands behind --.",
  );
  if (isWrongUse(options)) return options;
  const [command, ...args] = end === -1 ? [] : given.slice(end + 1);
  if (command === undefined || command === "") return wrongUse("the server's command is missing; it stands behind --.");
  const mode = MODES.find((each) => each === (options.mode ?? "fulfil"));
  if (mode === undefined) return wrongUse("--mode must be fulfil, forward or fallback.");
  const elicitation = MODES.find((each) => each === (options.elicitation ?? "forward"));
  if (elicitation === undefined) return wrongUse("--elicitation must be forward, fulfil or fallback.");
  const association = ASSOCIATION_MODES.find((each) => each === (options.association ?? "auto"));
  if (association === undefined) return wrongUse("--association must be auto, strict or inFlight.");
  const holdSeconds = Number(options.hold ?? "50");
  if (options.hold?.trim() === "" || !(holdSeconds > 0 && holdSeconds <= MOST_HOLD_SECONDS))
    return wrongUse(`--hold must be a number of seconds, above 0 and up to ${MOST_HOLD_SECONDS}.`);
  const tokenUsd = options.tokens === undefined ? undefined : Number(options.tokens);
  if (tokenUsd !== undefined && !(tokenUsd > 0 && tokenUsd <= MOST_TOKEN_USD))
    return wrongUse(`--tokens must be an amount in US dollars, above 0 and up to ${MOST_TOKEN_USD}.`);
  const url = options.url ?? env["COUNTERSIGN_URL"] ?? "";
  if (url === "") return wrongUse("the gateway's address is missing; give --url or set COUNTERSIGN_URL.");
  const apiKey = env["COUNTERSIGN_API_KEY"] ?? "";
  if (apiKey === "") return wrongUse("COUNTERSIGN_API_KEY is not set; it must hold an API key of the gateway.");
  const tools = options["no-tools"] !== true;
  const tasks = options["no-tasks"] !== true;
  const reviewsCalls = options["review-calls"] === true;
  const { "allow-tools": allow, "deny-tools": deny, "elicitation-host": elicitationHosts } = options;
  const shownTools = allow === undefined && deny === undefined ? null : { allow, deny };
  const server = options.server ?? baseName(command);
  const asked = { mode, elicitation, elicitationHosts, association, tools, tasks };
  return { url, apiKey, server, ...asked, reviewsCalls, shownTools, holdSeconds, tokenUsd, command, args };
}

/** The last part of a path, without the endings that Windows adds. */
function baseName(command: string): string {
  const last = command.split(/[/\\]/).findLast((part) => part !== "") ?? command;
  return last.replace(/\.(exe|cmd|bat|com)$/i, "") || last;
}
