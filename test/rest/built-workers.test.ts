// What decides whether a Worker is built again: the files that it is made of, and nothing else.

import { appendFileSync, cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { builtWorkers } from "../../scripts/built-workers.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const checkout = mkdtempSync(join(tmpdir(), "countersign-built-"));
afterAll(() => rmSync(checkout, { recursive: true, force: true }));

test("a Worker is built again where a file of its own changed, and the others are not", async () => {
  for (const path of ["shared", "workers", "wrangler.toml", "package.json", "package-lock.json", "tsconfig.base.json"])
    cpSync(join(root, path), join(checkout, path), { recursive: true, filter: (each) => !/\/(?:dist|\.wrangler)(?:\/|$)/.test(each) });
  symlinkSync(join(root, "node_modules"), join(checkout, "node_modules"), "junction");
  const folders = async (): Promise<(string | undefined)[]> => (await builtWorkers(checkout)).map(({ modulesRoot }) => modulesRoot);
  // The sources are those of this checkout, whose builds are there.
  const [gateway, images, ...others] = await folders();
  expect(await folders()).toEqual([gateway, images, ...others]);
  appendFileSync(join(checkout, "workers/images/make-plain.ts"), "// A line more.\n");
  const changed = await folders();
  expect(changed).toEqual([gateway, expect.not.stringMatching(images ?? ""), ...others]);
  appendFileSync(join(checkout, "workers/images/wrangler.toml"), "# A line more.\n");
  expect(await folders()).toEqual([gateway, expect.not.stringMatching(changed[1] ?? ""), ...others]);
});
