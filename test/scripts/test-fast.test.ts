// What `npm run test:fast` promises: types, and every test that needs neither a process nor a
// runtime of its own, and one look at the Worker.

import { readFileSync, readdirSync } from "node:fs";
import { matchesGlob } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const config = readFileSync(`${root}/vitest.config.ts`, "utf8");
const { scripts } = JSON.parse(readFileSync(`${root}/package.json`, "utf8")) as { scripts: Record<string, string> };

/** The patterns of a project's `include` and `exclude`, braces written out. */
function patternsOf(project: string): { readonly include: string[]; readonly exclude: string[] } {
  const lists = new RegExp(String.raw`name: "${project}",\s+include: \[([^\]]+)\](?:,\s+exclude: \[([^\]]+)\])?`).exec(config);
  if (lists === null) throw new Error(`no project ${project} in vitest.config.ts`);
  const [include, exclude] = [lists[1], lists[2]].map((list = "") => [...list.matchAll(/"([^"]+)"/g)].map(([, pattern]) => pattern ?? ""));
  return { include: include ?? [], exclude: exclude ?? [] };
}

function isIn(project: string, file: string): boolean {
  const { include, exclude } = patternsOf(project);
  return include.some((pattern) => matchesGlob(file, pattern)) && !exclude.some((pattern) => matchesGlob(file, pattern));
}

test("npm run test:fast runs the types, the pure tests and the smoke test, and installs first", () => {
  expect(scripts["test:fast"]).toBe("npm run --silent types && vitest run --project pure --project smoke");
  expect(scripts["pretest:fast"]).toBe(scripts["pretest"]);
  expect(isIn("pure", "test/architecture.test.ts")).toBe(true);
  expect(isIn("smoke", "test/workers/smoke.test.ts")).toBe(true);
});

test("every test file belongs to one project, and npm test, test:rest and verify run all but what test:fast samples", () => {
  const files = readdirSync(`${root}/test`, { recursive: true, encoding: "utf8" })
    .map((file) => `test/${file.replaceAll("\\", "/")}`)
    .filter((file) => /\.test\.tsx?$/.test(file));
  const projects = ["pure", "workers", "sealed", "traced", "outside", "rest", "rest-workers", "verify", "verify-workers"];
  const wrong = files.filter((file) => projects.filter((project) => isIn(project, file)).length !== 1);
  expect(wrong).toEqual([]);
  const run = `${scripts["test"]} ${scripts["test:rest"]} ${scripts["verify"]}`;
  expect(projects.filter((project) => !new RegExp(`--project ${project}(?: |$)`).test(run))).toEqual([]);
});
