// The commands of the README and of the pages under docs/ as they are pasted, in bash and in zsh,
// beside a gateway of `npm start`.

import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../../scripts/local-gateway.ts";
import { operatorOf } from "../../../scripts/operator.ts";
import { decideByLink } from "../../../scripts/page-form.ts";
import { type Program, eventually, startProgram } from "../../outside/support/program.ts";
import { blocksOf, pages, reasonFor, reasons, root } from "./pasted.ts";
import { type Shell, isInstalled, paste, shells } from "./shells.ts";
import { isWhole, wholeOr } from "../../outside/support/whole.ts";

const blocks = pages.flatMap(blocksOf);
const run = blocks.filter((block) => reasonFor(block) === null);

const copy = mkdtempSync(join(tmpdir(), "countersign-commands-"));
/** The reader's own folder: what a command keeps is put there, and not into the checkout. */
const home = mkdtempSync(join(tmpdir(), "countersign-home-"));
const adminToken = "an-admin-token-of-this-test-0123456789";
const programs: Program[] = [];
let url = "";
let mcpServer = "";
let before: readonly string[] = [];

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
    "LICENSE",
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
  // So that curl ends with a status of its own where the gateway refuses: a command that is refused
  // is one that does not work.
  writeFileSync(join(home, ".curlrc"), "fail-with-body\nsilent\nshow-error\n");
  const gateway = startProgram(join(copy, "scripts/start.ts"), [], { PORT: String(await freePort()) });
  programs.push(gateway);
  [, url = ""] = await gateway.prints(/^Countersign is running at (http\S+)/m);
  before = filesInCopy();
  // What docs/clients.md has its reader start in a second terminal.
  const port = await freePort();
  mcpServer = `127.0.0.1:${port}`;
  const everything = join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
  programs.push(startProgram(everything, ["streamableHttp"], { PORT: String(port) }));
  await eventually("the MCP server", () =>
    fetch(`http://${mcpServer}/mcp`).then(
      () => true,
      () => false,
    ),
  );
});

afterAll(async () => {
  for (const program of programs) program.signal("SIGTERM");
  await Promise.all(programs.map(({ exited }) => exited));
  for (const folder of [copy, home]) rmSync(folder, { recursive: true, force: true });
});

/** What is in the checkout, but for what `.gitignore` names. */
const filesInCopy = (): string[] =>
  readdirSync(copy, { recursive: true, withFileTypes: true })
    .map(({ parentPath, name }) => relative(copy, join(parentPath, name)))
    .filter((path) => !/^(?:\.countersign|\.wrangler|node_modules|client\/(?:dist|LICENSE))(?:\/|$)/.test(path))
    .toSorted();

/**
 * Somebody approves whatever comes, as the README says that a reader does. Ends what it began with.
 */
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

/**
 * Remembers a document; what is returned puts it back. The servers and the people whom some pages
 * add are examples which nobody can reach, and the README's `npm run doctor` fails for one.
 */
async function documentNow(name: "servers" | "policy"): Promise<() => Promise<void>> {
  const address = `${url}/admin/${name}`;
  const headers = { Authorization: `Bearer ${adminToken}`, "Content-Type": "application/json" };
  const read = async (): Promise<{ version: number }> => (await fetch(address, { headers })).json();
  const then = await read();
  return async () => {
    const { version } = await read();
    if (version === then.version) return;
    const written = { method: "PUT", headers: { ...headers, "If-Match": String(version) }, body: JSON.stringify(then) };
    expect((await fetch(address, written)).status).toBe(200);
  };
}

test("the README has commands, and no page has another kind of block that looks like one", () => {
  expect(run.filter(({ page }) => page === "README.md").length).toBeGreaterThan(5);
  expect(new Set(run.map(({ page }) => page)).size).toBeGreaterThan(10);
  for (const page of pages)
    expect([page, readFileSync(join(root, page), "utf8").match(/^ *```(?:bash|zsh|shell|console)$/gm)]).toEqual([page, null]);
});

test("each reason not to run a command fits one", () => {
  for (const { fits, why } of reasons) expect([why, blocks.some(({ lines }) => fits.test(lines))]).toEqual([why, true]);
});

test("no command has a comment behind it, or an address without quotes that a shell would read as a pattern", () => {
  for (const { page, lines } of blocks) {
    expect([page, lines.match(/^(?!.*['"].*#.*['"]).*(?:^|\s)#.*$/m)]).toEqual([page, null]);
    expect([page, lines.match(/(?<=\s)https?:\/\/[^\s"']*[?&*[\]][^\s"']*/)]).toEqual([page, null]);
  }
});

/** As it stands but for the addresses: the documents' are those of a reader's machine. */
const lines = (page: string): string =>
  run
    .filter((block) => block.page === page)
    .map((block) => block.lines)
    .join("\n")
    .replaceAll(/http:\/\/localhost:878[78]/g, url)
    .replaceAll("127.0.0.1:3001", mcpServer);

describe.each(Object.keys(shells) as Shell[])("in %s", (shell) => {
  // its own names
  test.runIf(process.env["REQUIRE_ZSH"] !== undefined)("it is on this machine", () => expect(isInstalled(shell)).toBe(true));

  const inThisShell = [...new Set(run.map(({ page }) => page))].filter((page) => isWhole || shell === "bash" || !page.startsWith("docs/"));

  test.skipIf(!isInstalled(shell)).each(inThisShell)(
    isInstalled(shell) ? "each command of %s works as it stands" : `%s: not run, because ${shell} is not installed`,
    async (page) => {
      const stop = approving();
      const takeBack = [await documentNow("servers"), await documentNow("policy")];
      const env = { ...process.env, CURL_HOME: home, HOME: home, ADMIN_TOKEN: undefined, PERSIST_TO: undefined };
      try {
        // The README's twice in both shells; of the other pages that in bash once, and the rest in
        // `npm run verify`.
        for (const round of page === "README.md" ? [1, 2] : wholeOr([1, 2], [1])) {
          const { code, said } = await paste(shell, lines(page), { cwd: copy, env });
          expect({ round, code, said: code === 0 ? "" : said }).toEqual({ round, code: 0, said: "" });
          expect(said).toContain("all of them");
          expect(said).not.toMatch(/command not found|no matches found|bad pattern/);
        }
      } finally {
        await stop();
        for (const each of takeBack) await each();
      }
    },
  );
});

test("no command of a document left a file in the checkout", () => {
  expect(before).toContain("package.json");
  expect(filesInCopy()).toEqual(before);
});
