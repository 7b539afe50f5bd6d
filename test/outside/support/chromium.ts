// Which Chromium the tests with a browser use: the one that CHROMIUM_PATH names and no other, else one that is installed.

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const isRunnable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

const named = process.env["CHROMIUM_PATH"];
const folders = ["/usr/bin", ...(process.env["PATH"] ?? "").split(delimiter)];
const installed = folders.flatMap((folder) => ["chromium", "chromium-browser"].map((name) => join(folder, name)));

/** Undefined where there is none: the tests with a browser are then skipped. */
export const chromiumPath: string | undefined = (named ? [named] : installed).find(isRunnable);
