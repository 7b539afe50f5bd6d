// What CI makes of npm's advisories, and the bill of materials.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type Exception, judgeAudit, readExceptions } from "../../scripts/audit.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const advisory = {
  source: 1,
  name: "left-pad",
  title: "Pads too far",
  url: "https://github.com/advisories/GHSA-aaaa-bbbb-cccc",
  severity: "high",
};
const report = (...via: readonly unknown[]): string =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: via.length === 0 ? {} : { "left-pad": { name: "left-pad", via } },
    metadata: {},
  });
const exception: Exception = {
  advisory: "GHSA-aaaa-bbbb-cccc",
  package: "left-pad",
  reason: "It pads only what our own code gives it.",
  until: "2026-12-31",
};
const today = "2026-11-23";

describe("an advisory", () => {
  test("is open, and named, where nobody accepted it", () => {
    expect(judgeAudit(report(advisory, "other"), [], today)).toEqual({
      kind: "checked",
      open: 1,
      lines: ["GHSA-aaaa-bbbb-cccc (high) in left-pad: Pads too far: open"],
    });
  });

  test("is accepted with a reason, up to its last day, and for its package alone", () => {
    expect(judgeAudit(report(advisory), [exception], today)).toMatchObject({ open: 0 });
    expect(judgeAudit(report(advisory), [{ ...exception, until: today }], today)).toMatchObject({ open: 0 });
    expect(judgeAudit(report(advisory), [{ ...exception, until: "2026-11-22" }], today)).toMatchObject({ open: 1 });
    expect(judgeAudit(report(advisory), [{ ...exception, package: "right-pad" }], today)).toMatchObject({ open: 1 });
  });

  test("that is gone leaves its exception to be removed", () => {
    expect(judgeAudit(report(), [exception], today)).toEqual({
      kind: "checked",
      open: 0,
      lines: ["GHSA-aaaa-bbbb-cccc in left-pad: no such advisory any more; remove its exception"],
    });
  });
});

test.each([
  ["nothing", ""],
  ["a page", "<html>"],
  ["npm's error", JSON.stringify({ message: "405 Method Not Allowed", statusCode: 405 })],
  ["a report of another version", JSON.stringify({ auditReportVersion: 3 })],
])("where the registry answers with %s, nothing was checked, and that is what is said", (_what, output) => {
  expect(judgeAudit(output, [exception], today)).toMatchObject({ kind: "notChecked", why: expect.stringMatching(/\S/) });
});

test("every exception that is written has an advisory, a reason and a last day", () => {
  expect(() => readExceptions(readFileSync(new URL("../../docs/audit-exceptions.json", import.meta.url), "utf8"))).not.toThrow();
  expect(() => readExceptions(JSON.stringify({ exceptions: [{ ...exception, reason: "fine" }] }))).toThrow();
});

test("npm run sbom prints a CycloneDX bill with every package that the gateway and the client need", () => {
  const { stdout } = spawnSync("npm", ["run", "--silent", "sbom"], { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  const bill = JSON.parse(stdout) as { bomFormat: string; components: { "bom-ref": string }[] }; // CycloneDX
  expect(bill.bomFormat).toBe("CycloneDX");
  const { dependencies } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const listed = new Set(bill.components.map((component) => component["bom-ref"]));
  const needed = Object.entries(dependencies).map(([name, version]) => `${name}@${version}`);
  expect(needed.filter((each) => !listed.has(each))).toEqual([]);
});

test("every threat in docs/security.md names a test, or more", () => {
  const text = readFileSync(new URL("../../docs/security.md", import.meta.url), "utf8");
  const [, section = ""] = /^## Threats\n([\s\S]*?)\n## /m.exec(text) ?? [];
  const rows = section.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| threat "));
  expect(rows.length).toBeGreaterThan(70);
  // That the tests exist is checked for every document (test/shared/docs.test.ts).
  expect(rows.filter((row) => !/`test\/[^`]+\.test\.tsx?`/.test(row))).toEqual([]);
});
