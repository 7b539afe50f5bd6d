// An attack: what somebody tries, and what must hold all the same.

import type { World } from "./world.ts";

export type Attack = {
  /** What is tried, as a sentence that names what must not come of it. Unique in its area. */
  readonly name: string;
  /** A fault of what the gateway depends on, which nobody need have caused; absent: an attack. */
  readonly isFault?: true;
  /**
   * Resolves where it was refused or withstood. Where an assertion fails, it got through; any
   * other error says that it could not be tried.
   */
  readonly run: (world: World) => Promise<void>;
};

export type Area = {
  readonly name: string;
  readonly about: string;
  readonly attacks: readonly Attack[];
};

/** One attack for each row of a table. */
export const eachOf = <T>(rows: readonly T[], make: (row: T) => Attack): Attack[] => rows.map(make);
