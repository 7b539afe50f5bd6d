// The server of modern-tools.ts over stdio, for clients of both families. With a path as its argument, every line that it got is kept there.

import { appendFileSync } from "node:fs";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { modernServer } from "./modern-tools.ts";

const [, , kept] = process.argv;
if (kept !== undefined) process.stdin.on("data", (chunk: Buffer) => appendFileSync(kept, chunk));

// Nobody can release `slow` here: it ends when it is cancelled.
serveStdio(() => modernServer({ waiting: 0, cancelled: 0, released: new Promise(() => {}) }));
