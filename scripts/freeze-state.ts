// Freezes what this version stores, once, as it is released:
//
//   MAKE_STATE=1 npx vitest run --project rest test/upgrade && node scripts/freeze-state.ts
//
// From then on test/upgrade/version-<number>.zip never changes, every later version has to open it,
// and tables change by a migration alone (test/scripts/frozen-state.test.ts).

import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { schemas } from "../workers/objects/schema/schemas.ts";
import { versionOf } from "../workers/objects/schema/schema.ts";

const inFolder = (name: string): string => fileURLToPath(new URL(`../test/upgrade/${name}`, import.meta.url));

/** `tables`: of each class of objects, the version of what it stores, and a digest of its SQL. */
type FrozenState = {
  readonly state: string;
  readonly tables: Readonly<Record<string, { readonly version: number; readonly digest: string }>>;
};

const digestOf = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");

/** What was frozen, by its number: 1 is that of the first release. */
export const frozenStates = (): Readonly<Record<string, FrozenState>> =>
  JSON.parse(readFileSync(inFolder("frozen.json"), "utf8")) as Record<string, FrozenState>; // written here

export const stateFile = (number: number): string => `version-${number}.zip`;

/** The number of a state that is made now: no frozen one is made again. */
export const nextState = (): number => Object.keys(frozenStates()).length + 1;

export const digestOfState = (number: number): string => digestOf(readFileSync(inFolder(stateFile(number))));

/** Of what this version stores. */
export const tablesNow = (): FrozenState["tables"] =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, { version: versionOf(schema), digest: digestOf(schema.tables.join("\n")) }]),
  );

function freeze(): void {
  const number = nextState();
  if (!existsSync(inFolder(stateFile(number)))) {
    console.error(
      `There is no test/upgrade/${stateFile(number)}: make it first, with MAKE_STATE=1 npx vitest run --project rest test/upgrade`,
    );
    process.exit(1);
  }
  const states = { ...frozenStates(), [number]: { state: digestOfState(number), tables: tablesNow() } };
  writeFileSync(inFolder("frozen.json"), `${JSON.stringify(states, null, 2)}\n`);
  console.log(`State ${number} is frozen: commit test/upgrade.`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) freeze();
