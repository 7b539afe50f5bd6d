// Packages as tarballs of `npm pack`, for as long as they are not on the registry, or to try a
// version that is not.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Result, err, ok } from "../../shared/result.ts";

/** A tarball, and where a project keeps its copy. */
export type Packed = { readonly file: string; readonly copyTo: string };

/**
 * The tarball of `@countersign/worker` in this folder, named as `npm pack` names it. Refused, in a
 * sentence: a folder that cannot be read, that has no such tarball, or that has several, because
 * nothing tells which is meant.
 */
export function packedWorker(folder: string): Result<Packed, string> {
  let files: readonly string[];
  try {
    files = readdirSync(folder);
  } catch (error) {
    return err(
      `--packages: ${folder} cannot be read (${error instanceof Error && "code" in error ? String(error.code) : "unknown error"}).`,
    );
  }
  const [file, ...more] = files.filter((each) => /^countersign-worker-\d[\w.+-]*\.tgz$/.test(each));
  if (file === undefined) return err(`--packages: ${folder} has no countersign-worker-<version>.tgz; npm pack makes it.`);
  if (more.length > 0) return err(`--packages: ${folder} has several countersign-worker-<version>.tgz; leave the one to use.`);
  return ok({ file: join(folder, file), copyTo: `packages/${file}` });
}
