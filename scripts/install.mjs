// Installs what the other commands need, where it is missing or out of date. Plain JavaScript, so
// that any Node runs it.
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { isInstalled } from "./installed.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const stamp = new URL("../node_modules/.countersign-lock", import.meta.url);
const lock = createHash("sha256")
  .update(readFileSync(new URL("../package-lock.json", import.meta.url)))
  .digest("hex");

if (existsSync(stamp) ? readFileSync(stamp, "utf8") !== lock : !isInstalled(root)) {
  const [major] = process.versions.node.split(".");
  if (Number(major) < 20) {
    console.error(`Countersign needs Node 20 or later to install; this is ${process.version}.`);
    process.exit(1);
  }
  // npm ci empties the folder that the link points to, which may be in use.
  if (lstatSync(new URL("../node_modules", import.meta.url), { throwIfNoEntry: false })?.isSymbolicLink()) {
    console.error(
      "node_modules is a link to packages that do not match package-lock.json: remove the link, or run npm ci in the folder that it leads to.",
    );
    process.exit(1);
  }
  console.log("Installing dependencies with npm ci; this takes a minute or two …");
  // The lockfile's own Node runs everything after this, so a warning about this one's version would
  // mislead.
  const { status, error } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    if (error !== undefined) console.error(`npm: ${error.message}`);
    console.error("npm ci failed; its error is in the lines above. Nothing was started.");
    process.exit(status ?? 1);
  }
  writeFileSync(stamp, lock);
}
