// What a release is refused for, and what the workflows run.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { releaseOf } from "../../scripts/release.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");

const versions = { "package.json": "0.2.0", "client/package.json": "0.2.0", "workers/package.json": "0.2.0" };
const changelog =
  "# Changelog\n\n## Unreleased\n\n- Soon.\n\n## 0.2.0 (2026-12-01)\n\n- Forms.\n\n### Upgrade\n\nNothing.\n\n## 0.1.0\n\n- First.\n";

test("a tag gets the text of its version, a trial what is not released yet", () => {
  expect(releaseOf(versions, changelog, "v0.2.0")).toEqual({ version: "0.2.0", notes: "- Forms.\n\n### Upgrade\n\nNothing." });
  expect(releaseOf(versions, changelog, undefined)).toEqual({ version: "0.2.0", notes: "- Soon." });
});

test.each([
  [
    "versions that differ",
    { ...versions, "client/package.json": "0.1.0" },
    changelog,
    "v0.2.0",
    "The versions differ: package.json has 0.2.0, client/package.json has 0.1.0, workers/package.json has 0.2.0.",
  ],
  ["the tag of another version", versions, changelog, "v0.2.1", "The tag is v0.2.1, and package.json has 0.2.0: the tag must be v0.2.0."],
  [
    "a version without a section, though another begins alike",
    versions,
    changelog.replace("## 0.2.0 ", "## 0.2.0-rc.1 "),
    "v0.2.0",
    'CHANGELOG.md has no section "## 0.2.0" with text: it says what changes for whoever updates.',
  ],
  [
    "a section without text",
    versions,
    changelog.replace("- Soon.\n", ""),
    undefined,
    'CHANGELOG.md has no section "## Unreleased" with text: it says what changes for whoever updates.',
  ],
])("%s: the sentence says what does not agree", (_, given, text, tag, sentence) => {
  expect(releaseOf(given, text, tag)).toBe(sentence);
});

test("the workflows run what a person runs here, and only the job that publishes may", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const release = read(".github/workflows/release.yml");
  expect(read(".github/workflows/ci.yml")).toContain("run: .ci/run");
  expect(release).toContain("run: .ci/run");
  expect(release).toContain("npm run release -- --out release");
  expect(scripts["release"]).toBe("node scripts/release.ts");
  expect(release).toContain("npm publish --provenance --access public");
  const [before = "", publish = ""] = release.split("\n  publish:\n");
  expect(before).not.toMatch(/id-token|contents: write/);
  expect(publish).toMatch(/if: github\.ref_type == 'tag'[\s\S]*id-token: write/);
});
