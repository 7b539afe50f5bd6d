// What a subcommand of `countersign` is: a file in cli/ that exports one, and a line in
// cli/subcommands.ts.

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What is wrong with a command line, in one sentence without any argument's value: it may be a key
 * that was given by mistake.
 */
export type WrongUse = { readonly kind: "wrong"; readonly why: string };

export const wrongUse = (why: string): WrongUse => ({ kind: "wrong", why });

export type Subcommand = {
  /** One line for `countersign --help`, without a full stop. */
  readonly summary: string;
  /** What `--help` prints. Its first line begins with "Usage: countersign". */
  readonly usage: string;
  /**
   * Reads the arguments after the subcommand's name. Starts nothing and prints nothing. `--help`
   * and `--version` never come here.
   * @returns what runs it, or what is wrong.
   */
  readonly read: (args: readonly string[], env: Environment) => (() => Promise<Ended>) | WrongUse;
};

/**
 * How a subcommand ended: its exit code, or what was wrong with its arguments where only running it
 * could tell.
 */
export type Ended = { readonly kind: "ended"; readonly code: number } | WrongUse;

export const endedWith = (code: number): Ended => ({ kind: "ended", code });

/**
 * Why the gateway could not be asked, in words for the user, without a full stop. The command
 * prints it and ends with 2.
 */
export class Unasked extends Error {}

/**
 * What a parser of arguments (`parseArgs`) returns, or what it found wrong.
 * @param stray What an argument that is no option should have been.
 */
export function readArguments<Read>(parse: () => Read, stray = "unexpected argument."): Read | WrongUse {
  try {
    return parse();
  } catch (error) {
    // Node's own messages quote the argument.
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ERR_PARSE_ARGS_UNKNOWN_OPTION") return wrongUse("unknown option.");
    if (code === "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL") return wrongUse(stray);
    return wrongUse("an option has no value, or one that it does not take.");
  }
}

export const isWrongUse = (value: object): value is WrongUse => "kind" in value && value.kind === "wrong";
