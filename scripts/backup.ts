// Saves a gateway's configuration to a file, and puts it back.
//
//   npm run backup                                            (the gateway that npm start runs)
//   npm run backup -- --out backup.json --url https://gateway.example.com
//   npm run backup -- --restore backup.json   (says what would change, and changes nothing)
//   npm run backup -- --restore backup.json --yes
//
// Exit codes: 0 done; 1 somebody changed a document meanwhile, or the gateway refused one; 2 the
// gateway could not be asked, or the file is none.

import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { z } from "zod";
import { Unasked } from "../client/subcommand.ts";
import { document, type Document, type DocumentName, documentNames, read, write } from "./documents.ts";
import { type Target, targetOf } from "./target.ts";

const documents = z.object({ routing: document, servers: document, issuers: document, budgets: document, policy: document });
const backupSchema = z.object({ format: z.literal("countersign-backup/1"), at: z.string(), from: z.string(), documents });
const keysSchema = z.object({ keys: z.array(z.looseObject({ id: z.string(), name: z.string() })) });

export type Backup = z.infer<typeof backupSchema> & {
  /**
   * Names, owners and limits, by which the keys can be made anew. No key is in it, and none can be
   * restored.
   */
  readonly keys: readonly object[];
};

/** The configuration of a gateway now, with the list of its keys. */
export async function backupOf(target: Target, at: string): Promise<Backup> {
  const found = await Promise.all(documentNames.map(async (name) => [name, await read(target, name, document)] as const));
  const { keys } = await read(target, "keys", keysSchema);
  return { format: "countersign-backup/1", at, from: target.url, documents: documents.parse(Object.fromEntries(found)), keys };
}

/** What became of a document. `changed` stands also for what would change. */
export type Restored = { readonly name: DocumentName; readonly state: "same" | "changed" | "conflict" | "refused"; readonly why?: string };

/**
 * Puts the documents back that differ, each over the version that was read just before. `isTrial`:
 * says what would change, and changes nothing.
 */
export async function restore(target: Target, { documents: saved }: Pick<Backup, "documents">, isTrial: boolean): Promise<Restored[]> {
  const all: Restored[] = [];
  for (const name of documentNames) all.push(await restoreOne(target, name, saved[name], isTrial));
  return all;
}

async function restoreOne(target: Target, name: DocumentName, saved: Document, isTrial: boolean): Promise<Restored> {
  const current = await read(target, name, document);
  const { version } = current;
  if (isDeepStrictEqual({ ...saved, version }, current)) return { name, state: "same" };
  if (isTrial) return { name, state: "changed" };
  const answer = await write(target, name, current, saved);
  if (answer.ok) return { name, state: "changed" };
  if (answer.status === 412) return { name, state: "conflict" };
  return { name, state: "refused", why: (await answer.text()).slice(0, 500) };
}

const options = {
  url: { type: "string" },
  out: { type: "string" },
  restore: { type: "string" },
  yes: { type: "boolean" },
  help: { type: "boolean" },
} as const;
const usage = "usage: npm run backup -- [--url ADDRESS] [--out FILE | --restore FILE [--yes]]";

function backupIn(path: string): Pick<Backup, "documents" | "at" | "from"> {
  try {
    return backupSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    const why = error instanceof Error && "code" in error ? "it cannot be read" : "it is no backup that this command wrote";
    throw new Unasked(`${path}: ${why}`);
  }
}

const words: { readonly [state in Restored["state"]]: string } = {
  same: "is as it was",
  changed: "restored",
  conflict: "changed by somebody else in this moment: left as it is; run the command again",
  refused: "refused by the gateway",
};

async function main(): Promise<number> {
  const { url, out, restore: file, yes, help } = parseArgs({ options, strict: true }).values;
  if (help === true) {
    console.log(usage);
    return 0;
  }
  const saved = file === undefined ? null : backupIn(file);
  const target = await targetOf(url);
  if (saved === null) {
    const at = new Date().toISOString();
    const path = out ?? `countersign-${at.slice(0, 10)}.json`;
    const backup = await backupOf(target, at);
    // Routing and servers name secrets and do not have them; addresses and reviewers are still
    // nobody else's.
    writeFileSync(path, `${JSON.stringify(backup, null, 2)}\n`, { mode: 0o600 });
    console.log(`Saved ${documentNames.join(", ")} and a list of ${backup.keys.length} keys of ${target.url} to ${path}.`);
    return 0;
  }
  console.log(`Backup of ${saved.from}, ${saved.at}.`);
  const all = await restore(target, saved, yes !== true);
  for (const { name, state, why } of all)
    console.log(
      `  ${name.padEnd(8)} ${state === "changed" && yes !== true ? "differs" : words[state]}${why === undefined ? "" : `: ${why}`}`,
    );
  if (yes !== true && all.some(({ state }) => state === "changed")) console.log("Nothing was changed. Add --yes to restore what differs.");
  return all.some(({ state }) => state === "conflict" || state === "refused") ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  process.exitCode = await main().catch((error: unknown) => {
    console.error(`npm run backup: ${error instanceof Error ? error.message : String(error)}`);
    return 2;
  });
