// Which Chromium the tests with a browser use: the one that CHROMIUM_PATH names and no other, else
// one that is installed.
//
// Debian's headless shell is the same engine without the browser's own windows: a page takes a
// third of the CPU time.

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
const installed = ["chromium-headless-shell", "chromium", "chromium-browser"].flatMap((name) =>
  folders.map((folder) => join(folder, name)),
);

/** Undefined where there is none: the tests with a browser are then skipped. */
export const chromiumPath: string | undefined = (named ? [named] : installed).find(isRunnable);
