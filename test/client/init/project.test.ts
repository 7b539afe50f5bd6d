// The files of a new project, from options alone; and that they are those that this repository runs
// with.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkNames, projectFiles } from "../../../client/init/project.ts";
import { devVarsExample, secrets } from "../../../client/init/secrets.ts";
import { versions } from "../../../client/init/versions.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");

const files = (given: Partial<Parameters<typeof projectFiles>[0]> = {}): ReadonlyMap<string, string> =>
  new Map(projectFiles({ name: "acme-review", publicUrl: "", worker: "0.1.0", ...given }).map(({ path, text }) => [path, text]));

/** A configuration without comments and empty lines. */
const settings = (toml = ""): string[] => toml.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

describe("the configuration", () => {
  test("of a gateway named countersign is this repository's, but for its entry", () => {
    const ours = settings(read("wrangler.toml")).map((line) => (line === 'main = "workers/index.ts"' ? 'main = "src/index.ts"' : line));
    expect(ours.length).toBeGreaterThan(100);
    expect(settings(files({ name: "countersign" }).get("wrangler.toml"))).toEqual(ours);
  });

  test.each(["images", "tools", "ui", "oauth"])("of the Worker in workers/%s is this repository's", (folder) => {
    const path = `workers/${folder}/wrangler.toml`;
    // The order of settings above the first table has no meaning.
    const sorted = (toml = ""): string[] => settings(toml).toSorted();
    expect(sorted(files({ name: "countersign" }).get(path))).toEqual(sorted(read(path)));
  });

  test("names each Worker beside the gateway after it, and binds it by that name", () => {
    const made = files();
    for (const [folder, service] of [
      ["images", "acme-review-images"],
      ["tools", "acme-review-tools"],
      ["ui", "acme-review-pages"],
      ["oauth", "acme-review-oauth"],
    ]) {
      expect(settings(made.get(`workers/${folder}/wrangler.toml`))[0]).toBe(`name = "${service}"`);
      expect(made.get("wrangler.toml")).toContain(`service = "${service}"`);
    }
    expect([...made.values()].join("\n")).not.toContain('"countersign"');
  });

  test("has the public address that was given", () => {
    const toml = files({ publicUrl: "https://gateway.example.com/review" }).get("wrangler.toml");
    expect(toml).toContain('PUBLIC_URL = "https://gateway.example.com/review"\n');
  });
});

describe("package.json", () => {
  test("pins the versions that this repository is tested with, and brings its own Node", () => {
    const { devDependencies } = JSON.parse(read("package.json")) as { devDependencies: Record<string, string> };
    const { version } = JSON.parse(read("workers/package.json")) as { version: string };
    const { "@countersign/worker": worker, ...others } = versions;
    expect(worker).toBe(version);
    expect(others).toEqual(Object.fromEntries(Object.keys(others).map((name) => [name, devDependencies[name]])));
    const made = JSON.parse(files().get("package.json") ?? "") as Record<string, unknown>;
    expect(made).toMatchObject({ name: "acme-review", private: true, dependencies: { "@countersign/worker": "0.1.0" } });
    expect(made["devDependencies"]).toEqual(others);
    expect(made["allowScripts"]).toEqual((JSON.parse(read("package.json")) as Record<string, unknown>)["allowScripts"]);
  });

  test("deploys the gateway last, after the Workers that it binds", () => {
    const { scripts } = JSON.parse(files().get("package.json") ?? "") as { scripts: Record<string, string> };
    expect([...(scripts["deploy"] ?? "").matchAll(/--config (\S+)/g)].map(([, config]) => config)).toEqual([
      "workers/images/wrangler.toml",
      "workers/tools/wrangler.toml",
      "workers/ui/wrangler.toml",
      "workers/oauth/wrangler.toml",
      "wrangler.toml",
    ]);
  });

  test("takes the package from a tarball where one is given", () => {
    const made = files({ worker: "file:packages/countersign-worker-0.1.0.tgz" }).get("package.json");
    expect(made).toContain('"@countersign/worker": "file:packages/countersign-worker-0.1.0.tgz"');
  });
});

describe(".dev.vars.example", () => {
  test("describes every secret that docs/operations.md lists, and has no value", () => {
    const [, table = ""] = /^\| secret \| \|\n([\s\S]*?)\n\n/m.exec(read("docs/operations.md")) ?? [];
    const listed = [...table.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, names = ""]) =>
      [...names.matchAll(/`([A-Z_<>]+)`/g)].map(([, name]) => name),
    );
    expect(listed.length).toBeGreaterThan(10);
    const names = new Set(secrets.map(({ name }) => name));
    expect(listed.filter((name) => !names.has(name ?? ""))).toEqual([]);
    const lines = devVarsExample().split("\n");
    expect(lines.filter((line) => /^(?:# )?[A-Z_<>]+=/.test(line)).toSorted()).toEqual(
      secrets.map(({ name, needed }) => `${needed === true ? "" : "# "}${name}=`).toSorted(),
    );
  });

  test("is not ignored by git, and the file that is made of it is", () => {
    expect(files().get(".gitignore")).toContain("\n.dev.vars*\n!.dev.vars.example\n");
  });
});

test("the entry hands on the gateway and its classes in three lines", () => {
  expect(files().get("src/index.ts")?.trimEnd().split("\n")).toHaveLength(3);
});

test("README.md says to set PUBLIC_URL, or to check the one that was given", () => {
  expect(files().get("README.md")).toContain("set `PUBLIC_URL` to the `https` address");
  expect(files({ publicUrl: "https://gateway.example.com" }).get("README.md")).toContain("is `https://gateway.example.com`: check that");
});

describe("what a person chose", () => {
  const check = (name: string, publicUrl = "") => checkNames({ name, publicUrl });

  test.each(["a", "acme-review", "gateway2", "a".repeat(56)])("the name %s is let through", (name) => {
    expect(check(name)).toEqual({ ok: true, value: { name, publicUrl: "" } });
  });

  test.each(["", "Acme", "acme_review", "-acme", "acme-", "a b", 'a"', "a\nb", "a".repeat(57)])("the name %j is refused", (name) => {
    expect(check(name)).toMatchObject({ ok: false, error: { kind: "badName" } });
  });

  test("the address is kept without a slash at its end", () => {
    expect(check("acme", "https://gateway.example.com/")).toMatchObject({ value: { publicUrl: "https://gateway.example.com" } });
  });

  test.each([
    "gateway.example.com",
    "http://gateway.example.com",
    "https://ann:secret@gateway.example.com",
    "https://gateway.example.com/?a=1",
    "https://gateway.example.com/#a",
    'https://gateway.example.com/"',
    "https://gateway.example.com/a\nb",
  ])("the address %j is refused", (address) => {
    expect(check("acme", address)).toMatchObject({ ok: false, error: { kind: "badUrl" } });
  });
});
