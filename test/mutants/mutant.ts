// A mutation of one check, by name: what is taken away or turned round, and the test that must fail
// for it.
//
// The lists beside this file are the project's own, made by hand: each check that consent,
// isolation or a limit stands on. A generator of mutations would not drive the tests that run
// inside workerd, and would leave hundreds of equivalent ones to be judged.

export type Mutant = {
  /** What the check is for, as a noun: unique among all. */
  readonly name: string;
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly from: string;
  readonly to: string;
  readonly test: {
    readonly file: string;
    /**
     * Part of the titles of the tests that must fail, as vitest's `-t` takes it; absent: all of the
     * file run.
     */
    readonly only?: string;
  };
  /** Why no test can fail for it: the mutation survives, and is listed with this reason. */
  readonly survives?: string;
};

/** How often `part` stands in `text`. */
export const countOf = (text: string, part: string): number => text.split(part).length - 1;
