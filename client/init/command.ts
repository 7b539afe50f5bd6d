// `countersign init`: writes a Worker project around `@countersign/worker`, and says what to do
// next. It installs, deploys and asks nothing.

import { basename, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Result, err, ok } from "../../shared/result.ts";
import { packedWorker } from "./packed.ts";
import { checkNames, projectFiles } from "./project.ts";
import { versions } from "./versions.ts";
import { folderError, writeProject } from "./write-project.ts";
import type { GatewayNames } from "./wrangler-files.ts";

export const INIT_USAGE = `Usage: countersign init [options] [folder]

Writes a Worker project that runs and deploys a Countersign gateway into the folder, by default this one. The folder must be empty or not
there yet.

  --name <name>            the Worker's name; by default the folder's
  --url <address>          the https address that reviewers will reach (PUBLIC_URL); it can be set later in wrangler.toml
  --packages <folder>      takes @countersign/worker from a tarball of npm pack in this folder, in place of the registry
  --help, --version
`;

const OPTIONS = {
  name: { type: "string" },
  url: { type: "string" },
  packages: { type: "string" },
} as const;

type Init = GatewayNames & {
  /** As it was given. */
  readonly folder: string;
  /** Where the tarball is; undefined: the registry has the package. */
  readonly packages: string | undefined;
};

/** Where the command prints. */
type Output = { readonly out: (text: string) => void; readonly error: (text: string) => void };

const terminal: Output = {
  out: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
};

/**
 * Reads the arguments, without `--help`. Starts nothing. Refused, in a sentence: what no project
 * can be made of.
 */
export function readInit(args: readonly string[]): Result<Init, string> {
  const parsed = parsedArguments(args);
  if (parsed === null) return err("an option is unknown, or lacks its value.");
  const { values, positionals } = parsed;
  const [folder = ".", ...more] = positionals;
  if (more.length > 0) return err("there can be one folder.");
  const names = checkNames({ name: values.name ?? basename(resolve(folder)).toLowerCase(), publicUrl: values.url ?? "" });
  return names.ok ? ok({ ...names.value, folder, packages: values.packages }) : err(names.error.why);
}

/**
 * Writes the project, and prints what it wrote and what to do next. Returns the exit code: 0, or 1
 * where it refuses.
 */
export function runInit({ name, publicUrl, folder: given, packages }: Init, output: Output = terminal): 0 | 1 {
  const refuse = (why: string): 1 => {
    output.error(`countersign init: ${why}\n`);
    return 1;
  };
  const folder = resolve(given);
  const unusable = folderError(folder);
  if (unusable !== null) return refuse(unusable);
  const packed = packages === undefined ? ok(null) : packedWorker(resolve(packages));
  if (!packed.ok) return refuse(packed.error);
  const tarballs = packed.value === null ? [] : [packed.value];
  const worker = packed.value === null ? versions["@countersign/worker"] : `file:${packed.value.copyTo}`;
  const files = projectFiles({ name, publicUrl, worker });
  try {
    writeProject(folder, files, tarballs);
  } catch (error) {
    return refuse(`${error instanceof Error ? error.message : String(error)}. What was written before that is still there.`);
  }
  const written = [...files.map(({ path }) => path), ...tarballs.map(({ copyTo }) => copyTo)];
  output.out(`${[`Wrote to ${folder}:`, ...written.map((path) => `  ${path}`), "", ...nextSteps(given)].join("\n")}\n`);
  return 0;
}

function parsedArguments(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

const nextSteps = (given: string): readonly string[] => [
  "Next:",
  resolve(given) === process.cwd() ? "  npm install" : `  cd ${shellWord(given)} && npm install`,
  "  npm run check",
  "  npm run deploy",
  "",
  "npm run check builds the four Workers and uploads nothing. README.md there has the steps before and after npm run deploy, and how to run",
  "the gateway on this machine.",
];

/** The word as bash and zsh read it back. */
const shellWord = (word: string): string => (/^[\w./@-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);
