// The commands of the README as they are pasted, in bash and in zsh, beside a gateway of `npm start`.

import { spawn } from "node:child_process";
import { accessSync, constants, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../../scripts/local-gateway.ts";
import { operatorOf } from "../../../scripts/operator.ts";
import { decideByLink } from "../../../scripts/page-form.ts";
import { type Program, startProgram } from "../support/program.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");
const commands = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);

/** Started once for all, or what other tests run. */
const elsewhere = new Set(["npm start\n", "npm run test:fast\n"]);
const pasted = commands.filter((block) => !elsewhere.has(block));

const copy = mkdtempSync(join(tmpdir(), "countersign-readme-"));
const adminToken = "an-admin-token-of-this-test-0123456789";
let program: Program | undefined;
let url = "";

beforeAll(async () => {
  for (const part of [
    "scripts",
    "examples",
    "client",
    "shared",
    "workers",
    "package.json",
    "package-lock.json",
    "tsconfig.base.json",
    "wrangler.toml",
  ])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const secrets = {
    ADMIN_TOKEN: adminToken,
    LINK_KEY: "a-link-key-of-this-test-0123456789",
    DEV_API_KEY: "an-api-key-of-this-test-0123456789",
  };
  writeFileSync(
    join(copy, ".dev.vars"),
    Object.entries(secrets)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(""),
  );
  // So that curl ends with a status of its own where the gateway refuses: a command that is refused is one that does not work.
  writeFileSync(join(copy, ".curlrc"), "fail-with-body\nsilent\nshow-error\n");
  program = startProgram(join(copy, "scripts/start.ts"), [], { PORT: String(await freePort()) });
  [, url = ""] = await program.prints(/^Countersign is running at (http\S+)/m);
});

afterAll(async () => {
  program?.signal("SIGTERM");
  await program?.exited;
  rmSync(copy, { recursive: true, force: true });
});

/** Somebody approves whatever comes, as the README says that a reader does. Ends what it began with. */
function approving(): () => Promise<void> {
  const operator = operatorOf(url, adminToken);
  const over = new AbortController();
  const decided = new Set<string>();
  const work = (async () => {
    while (!over.signal.aborted) {
      for (const { link } of await operator.waiting())
        if (link !== null && !decided.has(link)) {
          decided.add(link);
          await decideByLink(link, "approve").catch(() => decided.delete(link));
        }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  })();
  return async () => {
    over.abort();
    await work;
  };
}

/** What a shell says to these lines, one after the other as they are pasted; it ends at the first that fails. */
function paste(shell: string, args: readonly string[], lines: string): Promise<{ readonly code: number | null; readonly said: string }> {
  const child = spawn(shell, args, {
    cwd: copy,
    env: { ...process.env, CURL_HOME: copy, HOME: copy, ADMIN_TOKEN: undefined, PERSIST_TO: undefined },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += String(chunk)));
  child.stdin.end(lines);
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, said })));
}

// zsh reads comments and unquoted patterns in another way where it is asked by a person: so it is told to be interactive.
const shells = { bash: ["--norc", "-s"], zsh: ["-f", "-i", "-s"] } as const;

const isInstalled = (shell: string): boolean =>
  (process.env["PATH"] ?? "").split(":").some((folder) => {
    try {
      accessSync(join(folder, shell), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

test("the README has commands, and no other kind of block looks like one", () => {
  expect(pasted.length).toBeGreaterThan(8);
  expect(commands.filter((block) => elsewhere.has(block))).toHaveLength(elsewhere.size);
  expect(readme.match(/^```(bash|zsh|shell|console)$/gm)).toBeNull();
});

describe.each(Object.entries(shells))("in %s", (shell, args) => {
  test.skipIf(!isInstalled(shell))("each command works as it stands, and once more", async () => {
    const stop = approving();
    const lines = `set -e\n${pasted.join("\n").replace("http://localhost:8787", url)}\necho "all of them"\n`;
    try {
      for (const round of [1, 2]) {
        const { code, said } = await paste(shell, args, lines);
        expect({ round, code, said: code === 0 ? "" : said }).toEqual({ round, code: 0, said: "" });
        expect(said).toContain("all of them");
        expect(said).not.toMatch(/command not found|no matches found|bad pattern/);
      }
    } finally {
      await stop();
    }
  });
});
