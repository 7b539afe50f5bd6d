// What runs on this machine, by process id: to see that nothing is left of a program that was
// stopped.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

type Row = { readonly pid: number; readonly parent: number };

/** Every process but those that have ended and wait for their parent to notice. */
const running = (): Row[] => (existsSync("/proc/self/stat") ? fromProc() : fromPs());

const rowOf = (pid: string, parent: string | undefined, state: string | undefined): Row[] =>
  parent === undefined || state?.startsWith("Z") === true ? [] : [{ pid: Number(pid), parent: Number(parent) }];

function fromProc(): Row[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      // proc_pid_stat(5): "pid (name) state parent …", and the name may hold anything.
      const [, state, parent] = /^.*\) (\S) (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
      return rowOf(pid, parent, state);
    } catch {
      return []; // It ended meanwhile.
    }
  });
}

function fromPs(): Row[] {
  const table = execFileSync("ps", ["-eo", "pid=,ppid=,stat="], { encoding: "utf8" });
  return table.split("\n").flatMap((line) => {
    const [pid = "", parent, state] = line.trim().split(/\s+/);
    return rowOf(pid, parent, state);
  });
}

/** The process, its children, theirs, and so on. */
export function familyOf(pid: number): number[] {
  const rows = running();
  const family = [pid];
  for (const member of family) family.push(...rows.filter(({ parent }) => parent === member).map((row) => row.pid));
  return family;
}

/**
 * The TCP ports that these processes listen on: Linux alone, from proc_net(5) and the sockets among
 * their open files.
 */
export function listeningPorts(pids: readonly number[]): number[] {
  const sockets = new Set(pids.flatMap(socketsOf));
  const rows = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) => readFileSync(table, "utf8").trim().split("\n").slice(1));
  const ports = rows.flatMap((row) => {
    const [, local = "", , state, , , , , , inode = ""] = row.trim().split(/\s+/);
    return state === "0A" && sockets.has(inode) ? [Number.parseInt(local.slice(local.lastIndexOf(":") + 1), 16)] : [];
  });
  return [...new Set(ports)];
}

function socketsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`))?.[1] ?? []);
  } catch {
    return []; // It ended meanwhile.
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ""; // It was closed meanwhile.
  }
}

/** Those of these processes that still run. */
export function stillRunning(pids: readonly number[]): number[] {
  const alive = new Set(running().map(({ pid }) => pid));
  return pids.filter((pid) => alive.has(pid));
}

/**
 * Those of these ports of this machine that are a debugger's, to which every web page could attach.
 */
export async function debuggersAt(ports: readonly number[]): Promise<number[]> {
  const found: number[] = [];
  for (const port of ports) {
    const told = await fetch(`http://127.0.0.1:${port}/json`).then(
      (response) => response.text(),
      () => "no HTTP",
    );
    if (told.includes("webSocketDebuggerUrl")) found.push(port);
  }
  return found;
}
