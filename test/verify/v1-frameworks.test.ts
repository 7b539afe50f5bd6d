// OpenAI's Agents SDK and LangChain at the Responses API, by the same table as the clients in
// test/rest/v1.

import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { beforeAll, expect } from "vitest";
import { type Said, type V1Client, V1Error } from "../outside/support/v1-clients.ts";
import { v1Scenarios } from "../outside/support/v1-scenarios.ts";

const folder = fileURLToPath(new URL("v1-frameworks/", import.meta.url));

beforeAll(() => {
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const installed = spawnSync("npm", args, { cwd: folder, encoding: "utf8" });
  expect(installed.status, installed.stderr).toBe(0);
}, 600_000);

type Told =
  | "attempt"
  | "response"
  | { readonly said: Said }
  | { readonly error: { readonly status: number | null; readonly code: string | null; readonly param: string | null } };

const client = (framework: string, about: Omit<V1Client, "ask">): V1Client => ({
  ...about,
  ask: async ({ onAttempt, onResponse, ...asked }) => {
    const child = spawn(process.execPath, [join(folder, "ask.mjs")], { stdio: ["pipe", "pipe", "inherit"] });
    child.stdin.end(JSON.stringify({ framework, ...asked }));
    for await (const line of createInterface({ input: child.stdout })) {
      const told = JSON.parse(line) as Told; // written by ask.mjs
      if (told === "attempt") onAttempt?.();
      else if (told === "response") onResponse?.();
      else if ("said" in told) return told.said;
      else throw new V1Error({ ...told.error, status: told.error.status ?? undefined });
    }
    throw new Error("ask.mjs said nothing");
  },
});

v1Scenarios([
  client("agents", {
    name: "agents",
    saysRetry: true,
    finish: undefined,
    lateDenial: expect.anything() as object,
  }),
  client("langchain", {
    name: "langchain",
    saysRetry: false,
    finish: "completed",
    lateDenial: expect.anything() as object,
  }),
]);
