// `.dev.vars` as npm start finds it: none, or one that a person made by hand.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import { devVars, fileVariables } from "../../scripts/dev-vars.ts";

const folder = mkdtempSync(join(tmpdir(), "countersign-dev-vars-"));
const file = pathToFileURL(join(folder, ".dev.vars"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the first start makes three secrets, and the next one finds them", () => {
  const first = devVars(file);
  expect(first).toMatchObject({ made: true, added: [] });
  expect(first.ADMIN_TOKEN.length).toBeGreaterThan(30);
  const text = readFileSync(file, "utf8");
  const { ADMIN_TOKEN, LINK_KEY, DEV_API_KEY } = first;
  expect(devVars(file)).toMatchObject({ made: false, added: [], ADMIN_TOKEN, LINK_KEY, DEV_API_KEY });
  expect(readFileSync(file, "utf8")).toBe(text);
});

test("a file that a person made keeps what it has, and gets what it lacks", () => {
  const made = "ANTHROPIC_API_KEY=sk-ant-of-a-person\nLINK_KEY=\nADMIN_TOKEN=a-token-of-sixteen-or-more";
  writeFileSync(file, made);
  const vars = devVars(file);
  expect(vars).toMatchObject({ made: false, added: ["LINK_KEY", "DEV_API_KEY"], ADMIN_TOKEN: "a-token-of-sixteen-or-more" });
  expect(vars.has("ANTHROPIC_API_KEY")).toBe(true);
  expect(readFileSync(file, "utf8")).toBe(`${made}\nLINK_KEY=${vars.LINK_KEY}\nDEV_API_KEY=${vars.DEV_API_KEY}\n`);
  expect(fileVariables(file)).toMatchObject({ LINK_KEY: vars.LINK_KEY });
});

test("a secret that is too short is named, and not replaced", () => {
  writeFileSync(file, "ADMIN_TOKEN=short\n");
  expect(() => devVars(file)).toThrow("ADMIN_TOKEN in .dev.vars must have 16 characters or more");
  expect(readFileSync(file, "utf8")).toMatch(/^ADMIN_TOKEN=short$/m);
});
