// OpenAI's SDK for Python at the gateway, by the same table as the clients in test/outside/v1.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { type Said, type V1Client, V1Error, chatEndings } from "../outside/support/v1-clients.ts";
import { v1Scenarios } from "../outside/support/v1-scenarios.ts";

const folder = fileURLToPath(new URL("v1/", import.meta.url));
const installed = mkdtempSync(join(tmpdir(), "countersign-python-"));
const python = join(installed, "bin/python");
execFileSync("python3", ["-m", "venv", installed]);
execFileSync(python, ["-m", "pip", "install", "-q", "--retries", "1", "-r", "requirements.txt"], { cwd: folder });
afterAll(() => rmSync(installed, { recursive: true, force: true }));

type Told =
  | "attempt"
  | "response"
  | { readonly said: Said }
  | { readonly error: { readonly status: number | null; readonly code: string | null; readonly param: string | null } };

const client: V1Client = {
  name: "python",
  saysRetry: true,
  ...chatEndings,
  ask: async ({ onAttempt, onResponse, ...asked }) => {
    const child = spawn(python, [join(folder, "ask.py")], { stdio: ["pipe", "pipe", "inherit"] });
    child.stdin.end(JSON.stringify(asked));
    for await (const line of createInterface({ input: child.stdout })) {
      const told = JSON.parse(line) as Told; // written by ask.py
      if (told === "attempt") onAttempt?.();
      else if (told === "response") onResponse?.();
      else if ("said" in told) return told.said;
      else throw new V1Error({ ...told.error, status: told.error.status ?? undefined });
    }
    throw new Error("ask.py said nothing");
  },
};

v1Scenarios([client]);
