// Everything that is logged while a test file runs, and the proof that no secret and no content is
// in it.
//
// The Worker and its objects run in the isolate of the tests, so their console is this one.

import { expect } from "vitest";

/** In every prompt, every reply and every reviewer's word of these tests. */
export const promptMarker = "PROMPTMARKER-5d0c1f";
export const replyMarker = "REPLYMARKER-b93a77";
export const reasonMarker = "REASONMARKER-1be04c";

const lines: string[] = [];
/** After the last file the runner is gone, and takes no more of what tests left under way log. */
let isHeard = true;
const secrets = new Set<string>([promptMarker, replyMarker, reasonMarker]);

for (const method of ["debug", "error", "info", "log", "trace", "warn"] as const) {
  const original = console[method].bind(console);
  console[method] = (...parts: unknown[]): void => {
    lines.push(parts.map((part) => (typeof part === "string" ? part : (JSON.stringify(part) ?? String(part)) + String(part))).join(" "));
    if (isHeard) original(...parts);
  };
}

/** A file's tests begin: the runner writes down what is logged. */
export function hearLogs(): void {
  isHeard = true;
}

/** From now on no line may hold this text: an API key, a token. */
export function neverLogged(secret: string): void {
  secrets.add(secret);
}

export const loggedLines = (): readonly string[] => lines;

export function expectNoLeaks(): void {
  const text = lines.join("\n");
  const leaked = [...secrets].filter((secret) => text.includes(secret));
  const leaks = lines.filter((line) => leaked.some((secret) => line.includes(secret)));
  expect(leaks, "log lines with a prompt, a reply, a key or a token").toEqual([]);
  lines.length = 0;
  isHeard = false;
}
