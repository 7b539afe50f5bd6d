// Folders for this user alone: what a local gateway stores has prompts, replies and links.

import { chmodSync, mkdirSync, statSync } from "node:fs";

/**
 * Makes the folder and those above it for this user alone; an existing one is closed to others. A
 * folder that users share by its sticky bit (`/tmp`) is left as it is, because what is made in it
 * is private.
 * @param path Absolute. Windows has no such permissions.
 */
export function makePrivate(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const isShared = (statSync(path).mode & 0o1000) !== 0;
  if (!isShared) chmodSync(path, 0o700);
}
