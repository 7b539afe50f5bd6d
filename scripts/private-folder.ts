// Folders that only this user can look into: what the gateway stores on this machine holds prompts, replies and links.

import { chmodSync, mkdirSync, statSync } from "node:fs";

/**
 * Makes the folder, with those above it, for this user alone; one that is there already is closed to others. A folder that other
 * users share by its sticky bit (`/tmp`) is left as it is: what is made in it is private.
 * @param path Absolute. Windows has no such permissions, and is left to its own.
 */
export function makePrivate(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const isShared = (statSync(path).mode & 0o1000) !== 0;
  if (!isShared) chmodSync(path, 0o700);
}
