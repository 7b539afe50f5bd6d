// Adds the optional platform packages that this registry did not list to package-lock.json, so that
// `npm ci` resolves on every system. Run after `npm install`; idempotent.
import { readFileSync, writeFileSync } from "node:fs";

const path = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(path, "utf8"));
const systems = {
  windows: "win32",
  win32: "win32",
  darwin: "darwin",
  linux: "linux",
  freebsd: "freebsd",
  android: "android",
  openharmony: "openharmony",
};
const processors = { 64: "x64", x64: "x64", arm64: "arm64", arm: "arm", ia32: "ia32", ppc64: "ppc64", riscv64: "riscv64", s390x: "s390x" };

let added = 0;
for (const [owner, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const path = `node_modules/${name}`;
    if (lock.packages[path] || lock.packages[`${owner}/${path}`]) continue;
    const words = name.split("/").pop().split("-");
    const os = words.map((word) => systems[word]).find(Boolean);
    const cpu = words.map((word) => processors[word]).find(Boolean);
    if (!os || !cpu) throw new Error(`${name}: its name does not tell which system it is for; add it to the lockfile by hand`);
    lock.packages[path] = { version, cpu: [cpu], dev: entry.dev, optional: true, os: [os] };
    added += 1;
  }
  if ("resolved" in entry && !entry.resolved.startsWith("https://registry.npmjs.org/")) delete entry.resolved;
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`package-lock.json: ${added} platform packages added`);
