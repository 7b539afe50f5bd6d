// The shell commands of the documents that a reader pastes: which of them a test can run here, and
// why not the others.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Documents whose commands are pasted in a checkout, beside a gateway of `npm start`. */
export const pages: readonly string[] = [
  "README.md",
  "client/README.md",
  "CONTRIBUTING.md",
  ...["docs", "docs/how-to"].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`),
  ),
];

export type Block = { readonly page: string; readonly lines: string };

/**
 * The blocks of a document that are marked as shell, without the indentation that they have in a
 * list.
 */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), "utf8");
  return [...text.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm)].map(([, indent = "", lines = ""]) => ({
    page,
    lines: lines.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  }));
}

/**
 * Why a block is not run. The first that fits counts; a test says where one fits no block any more.
 */
export const reasons: readonly { readonly fits: RegExp; readonly why: string }[] = [
  { fits: /\bwrangler (?:secret|deploy(?! --dry-run)|kv|d1|r2|login|rollback|tail|versions)\b/, why: "needs a Cloudflare account" },
  { fits: /^npm run deploy\b/m, why: "needs a Cloudflare account; test/rest/deploy/ runs it against a scripted one" },
  { fits: /\/path\/to\//, why: "has a place for a path of the reader's" },
  { fits: /^(?:claude|gemini|codex|code) /m, why: "configures a program that is not installed here" },
  { fits: /@modelcontextprotocol\/inspector/, why: "downloads the Inspector" },
  { fits: /^(?:[A-Z_]+=\S+ )*npm start$/m, why: "runs until it is stopped; the gateway beside the commands is started by it" },
  { fits: /server-everything streamableHttp/, why: "runs until it is stopped; the test starts it" },
  { fits: /^npm run (?:test|bench|attack|verify)(?![\w-])/m, why: "takes minutes, and its parts are tests of their own" },
  { fits: /\bvitest run\b/, why: "is this suite" },
  { fits: /^node scripts\/install\.mjs$/m, why: "installs packages; test/rest/package/worker-package.test.ts makes such a project" },
  { fits: /api\.telegram\.org/, why: "asks Telegram for the messages of a bot of the reader's" },
  { fits: /node_modules\/@countersign\/worker/, why: "is for a project that has the package" },
];

export const reasonFor = ({ lines }: Block): string | null => reasons.find(({ fits }) => fits.test(lines))?.why ?? null;
