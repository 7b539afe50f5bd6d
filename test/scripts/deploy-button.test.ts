// What Cloudflare's deploy button reads of this repository: secrets without values, a description
// of each, and bindings that any account can have.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { expect, test } from "vitest";
import { secrets } from "../../client/init/secrets.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const { cloudflare, scripts } = JSON.parse(read("package.json")) as {
  cloudflare: { bindings: Record<string, { description: string }> };
  scripts: Record<string, string>;
};
const toml = read("wrangler.toml").replaceAll(/^#.*$/gm, "");

test(".dev.vars.example has no value, and git does not ignore it", () => {
  const lines = read(".dev.vars.example").split("\n");
  const set = lines.filter((line) => /^(?:# )?[A-Z_]+=/.test(line));
  expect(set.length).toBeGreaterThan(5);
  expect(set.filter((line) => !line.endsWith("="))).toEqual([]);
  expect(read(".gitignore").split("\n")).toContain(".dev.vars");
  expect(read(".gitignore")).not.toMatch(/^\.dev\.vars\*/m);
  const known = new Set(secrets.map(({ name }) => name));
  expect(set.map((line) => line.replace(/^# /, "").slice(0, -1)).filter((name) => !known.has(name))).toEqual([]);
});

test("each secret that the button asks for, each variable and each resource has a description, and nothing else has", () => {
  const asked = [...read(".dev.vars.example").matchAll(/^([A-Z_]+)=$/gm)].map(([, name]) => name);
  const variables = [...(/\[vars\]\n((?:[A-Z_]+ = .*\n)+)/.exec(toml)?.[1] ?? "").matchAll(/^([A-Z_]+) =/gm)].map(([, name]) => name);
  expect(asked).toEqual(["LINK_KEY", "ADMIN_TOKEN", "CONTENT_KEY"]);
  expect(Object.keys(cloudflare.bindings).toSorted()).toEqual([...asked, ...variables, "CONFIG", "FLOOD"].toSorted());
  for (const { description } of Object.values(cloudflare.bindings)) expect(description).toMatch(/^[A-Z].{20,}\.$/);
});

test("the KV namespace has no id, no binding needs a sending domain, and the deploy script deploys all four Workers", () => {
  expect(toml).toMatch(/\[\[kv_namespaces\]\]\nbinding = "CONFIG"\n\n/);
  expect(toml).not.toMatch(/send_email|account_id/);
  expect(scripts["deploy"]).toBe("node scripts/deploy/main.ts");
});
