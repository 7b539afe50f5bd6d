// Writes the files of a new project into a folder that is empty or not there yet. Never writes over
// a file.

import { constants, copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Packed } from "./packed.ts";
import type { ProjectFile } from "./project.ts";

/**
 * Why nothing can be written there, as a sentence; null where the folder is empty, has only `.git`,
 * or does not exist.
 */
export function folderError(folder: string): string | null {
  try {
    const first = readdirSync(folder).find((name) => name !== ".git");
    return first === undefined
      ? null
      : `${folder} is not empty: it has ${first}. Choose another folder, or empty this one; init writes over nothing.`;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") return null;
    if (code === "ENOTDIR") return `${folder} is not a folder. Choose another name.`;
    return `${folder} cannot be read (${String(code)}). Choose another folder.`;
  }
}

/**
 * Writes the files, and copies the tarballs, into the folder, which is made where it is missing.
 * Throws where something is there already.
 */
export function writeProject(folder: string, files: readonly ProjectFile[], tarballs: readonly Packed[]): void {
  for (const { path, text } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { flag: "wx" });
  }
  for (const { file, copyTo } of tarballs) {
    mkdirSync(dirname(join(folder, copyTo)), { recursive: true });
    copyFileSync(file, join(folder, copyTo), constants.COPYFILE_EXCL);
  }
}
