// The server of modern-tools.ts over stdio, for clients of both families; with `--alone`, for those
// of 2026-07-28 only. With a path as its argument, every line that it got is kept there.

import { appendFileSync } from "node:fs";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { modernServer } from "./modern-tools.ts";

const given = process.argv.slice(2);
const kept = given.find((each) => !each.startsWith("--"));
if (kept !== undefined) process.stdin.on("data", (chunk: Buffer) => appendFileSync(kept, chunk));

// Nobody can release `slow` here: it ends when it is cancelled.
serveStdio(() => modernServer({ waiting: 0, cancelled: 0, released: new Promise(() => {}) }), {
  legacy: given.includes("--alone") ? "reject" : "serve",
});
