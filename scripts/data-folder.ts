// Keeps two gateways from using one data folder: each would run its own copy of every Durable
// Object.

import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { answers } from "./local-gateway.ts";
import { makePrivate } from "./private-folder.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Records that this process's gateway at `url` uses the folder (relative to the project's own).
 * @returns the address of a running gateway that uses it already, and then nothing is written;
 *   otherwise null.
 */
export async function claimFolder(folder: string, url: string): Promise<string | null> {
  const running = await gatewayOf(folder);
  if (running !== null) return running;
  makePrivate(resolve(root, folder));
  writeFileSync(claimOf(folder), JSON.stringify({ pid: process.pid, url }));
  return null;
}

/** The address of the running gateway that uses this folder; otherwise null. */
export async function gatewayOf(folder: string): Promise<string | null> {
  const last = readClaim(claimOf(folder));
  // Both are checked: after a reboot the process id may be another program's, and the address
  // another gateway's.
  return last !== null && lives(last.pid) && (await answers(last.url)) ? last.url : null;
}

const claimOf = (folder: string): string => join(resolve(root, folder), "running.json");

function readClaim(path: string): { readonly pid: number; readonly url: string } | null {
  try {
    const claim: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (typeof claim !== "object" || claim === null || !("pid" in claim) || !("url" in claim)) return null;
    return { pid: Number(claim.pid), url: String(claim.url) };
  } catch {
    return null;
  }
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
