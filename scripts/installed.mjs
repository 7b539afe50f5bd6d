// Whether the packages under node_modules are those of package-lock.json, so that nothing is
// installed a second time after an `npm ci` of the user's own. Plain JavaScript, so that any Node
// runs it.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Compares the lockfile with npm's own list of what it installed. Packages for other systems are
 * not installed, and more than the lockfile has does no harm.
 * @param {string} root the project's folder.
 * @returns {boolean}
 */
export function isInstalled(root) {
  const wanted = packagesIn(join(root, "package-lock.json"));
  const found = packagesIn(join(root, "node_modules/.package-lock.json"));
  if (wanted === null || found === null) return false;
  // The package `node` fetches its program in a script, which npm may have been told not to run.
  if (wanted["node_modules/node"] && !["node", "node.exe"].some((name) => existsSync(join(root, "node_modules/node/bin", name))))
    return false;
  return Object.entries(wanted).every(([path, { version, integrity, optional, ...systems }]) => {
    if (path === "") return true;
    const there = found[path];
    if (there !== undefined) return there.version === version && there.integrity === integrity;
    return optional === true && !isForThisSystem(systems);
  });
}

/** A list such as `["darwin"]` or `["!win32"]`; without one, any. */
const allows = (list, value) =>
  list === undefined || (list.some((each) => each.startsWith("!")) ? !list.includes(`!${value}`) : list.includes(value));
/** Of packages for either C library one is here; one for any system stands in for those. */
const isForThisSystem = ({ os, cpu, libc }) =>
  (os ?? cpu) !== undefined && libc === undefined && allows(os, process.platform) && allows(cpu, process.arch);

function packagesIn(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8")).packages;
  } catch {
    return null;
  }
}
