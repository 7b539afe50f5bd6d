// What a published package would bring: the same command as JavaScript, on every Node that is here, the oldest of which need
// not strip types. The build goes to a folder of its own, laid out as the package is.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FAKE_KEY, FakeGateway } from "../../support/fake-gateway.ts";
import { connectV1, EVERYTHING } from "./clients.ts";
import { direct } from "./wrapped.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "countersign-package-"));
const bin = join(folder, "node_modules", "countersign", "client", "bin", "countersign.mjs");

beforeAll(() => {
  const at = join(folder, "node_modules", "countersign");
  execFileSync(process.execPath, [
    join(root, "node_modules/typescript/bin/tsc"),
    "-p",
    join(root, "client/bin"),
    "--outDir",
    join(at, "dist/command"),
  ]);
  cpSync(join(root, "client/bin/countersign.mjs"), bin);
  cpSync(join(root, "package.json"), join(at, "package.json"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Each Node of 20 or later, by version. */
const nodes = new Map<string, string>();
for (const path of [process.execPath, ...(process.env["PATH"] ?? "").split(delimiter).map((each) => join(each, "node"))]) {
  if (!existsSync(path)) continue;
  const version = execFileSync(path, ["--version"], { encoding: "utf8" }).trim();
  if (Number(/^v(\d+)/.exec(version)?.[1]) >= 20) nodes.set(version, path);
}

describe("the command as a package brings it", () => {
  test("is JavaScript alone, without a dependency", () => {
    const files = readdirSync(join(folder, "node_modules", "countersign"), { recursive: true, encoding: "utf8" });
    expect(files.filter((file) => file.endsWith(".ts"))).toEqual([]);
    expect(files.filter((file) => /\.m?js$/.test(file)).length).toBeGreaterThan(15);
  });

  test.each([...nodes])("runs on Node %s", async (_, node) => {
    const gateway = new FakeGateway();
    const { url, close } = await gateway.listen();
    const version = direct([node, bin, "--version"]);
    expect(await version.ended).toEqual({ code: 0, signal: null });
    expect(version.stdout().toString()).toMatch(/^\d+\.\d+\.\d+\n$/);
    const command = ["env", `COUNTERSIGN_API_KEY=${FAKE_KEY}`, node, bin, "stdio", "--url", url, "--", ...EVERYTHING];
    const client = await connectV1(command, "direct");
    const result = await client.callTool({ name: "trigger-sampling-request", arguments: { prompt: "hello", maxTokens: 5 } });
    expect(JSON.stringify(result)).toContain("Reviewed reply to: Resource trigger-sampling-request context: hello");
    expect(client.stderr()).not.toMatch(/countersign:|Warning/);
    await client.close();
    await close();
  });
});
