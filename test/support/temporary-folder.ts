// Where tests keep what they write. Objects commit to disk before they answer, and a disk's own
// confirmation (fsync) is most of a test's time: in memory the same tests are several times as
// quick. What is killed with -9 loses nothing there either; only a power cut would.

import { mkdirSync, readFileSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

const memory = "/dev/shm";
const prefix = "countersign-tests-";
/** A container's default of 64 MiB is too little for a suite. */
const leastFreeBytes = 2 * 1024 ** 3;

/** Programs are started from there: a folder that is mounted `noexec` is of no use. */
function isUsable(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    const mount = readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .map((line) => line.split(" "))
      .findLast(([, at]) => at === memory);
    return mount?.[2] === "tmpfs" && !(mount[3] ?? "").split(",").includes("noexec") && bavail * bsize >= leastFreeBytes;
  } catch {
    return false;
  }
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/**
 * Has this process and its children keep temporary files in memory, where the machine has a folder
 * for that with enough room: nothing changes elsewhere, nor where `TMPDIR` says already where they
 * are to be. The folder goes with the process; one that was left by a killed run goes with the
 * next.
 */
export function keepTemporaryFilesInMemory(): void {
  if (process.env["TMPDIR"] !== undefined || !isUsable()) return;
  for (const name of readdirSync(memory))
    if (name.startsWith(prefix) && !isAlive(Number(name.slice(prefix.length))))
      rmSync(join(memory, name), { recursive: true, force: true });
  const folder = join(memory, `${prefix}${process.pid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  process.env["TMPDIR"] = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
}
