#!/usr/bin/env node
// The `bin` of package.json. Plain JavaScript, so that Node 20 or later can start it. In a checkout the TypeScript sources run where Node
// strips types (22.18 or later); a published package has them as JavaScript.

import { existsSync, readFileSync } from "node:fs";

const source = new URL("../stdio/command.ts", import.meta.url);
const built = new URL("../../dist/command/client/stdio/command.js", import.meta.url);
const entry = process.features.typescript && existsSync(source) ? source : existsSync(built) ? built : undefined;

if (entry === undefined) {
  process.stderr.write(
    "countersign: a checkout runs on Node 22.18 or later; for an older one, build it first: npx tsc -p client/bin (docs/clients.md)\n",
  );
  process.exitCode = 1;
} else {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  const { runCommand } = await import(entry.href);
  await runCommand(version);
}
