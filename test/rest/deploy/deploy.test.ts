// npm run deploy with the real wrangler against a scripted Cloudflare account, which runs on
// workerd what is uploaded to it: the first deployment, the next ones, an upgrade, a way back.

import { execFile } from "node:child_process";
import { appendFileSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { isWhole } from "../../outside/support/whole.ts";
import { type Deployed, type Deploying, startDeploying, uploads } from "./deploying.ts";

const run = promisify(execFile);
const wrangler = join(dirname(createRequire(import.meta.url).resolve("wrangler/package.json")), "bin/wrangler.js");
const all = ["countersign-images", "countersign-tools", "countersign-pages", "countersign-oauth", "countersign"];
const providerKey = "sk-ant-of-this-test-0123456789";
const url = "https://countersign.acme.workers.dev";
let deploying: Deploying;

// A deployment is ten processes, each of which a busy machine may keep for ten seconds.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

beforeAll(async () => {
  deploying = await startDeploying();
});
afterAll(() => deploying?.close());

const gatewayScript = () => {
  const script = deploying.api.scripts.get("countersign");
  if (script === undefined) throw new Error("no gateway was deployed");
  return script;
};
const bound = (name: string) => gatewayScript().active.bindings.find((binding) => binding.name === name);

/** Asks the gateway that is deployed now. */
async function ask(path: string, key: string, init: RequestInit = {}): Promise<Response> {
  const { url: local } = await deploying.edge.gateway("countersign");
  return fetch(local + path, { ...init, headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" } });
}

test("a dry run builds all five Workers, needs no credential and asks Cloudflare nothing", async () => {
  const { code, printed } = await deploying.deploy(["--dry-run", "--name", "acme"], {
    CLOUDFLARE_API_TOKEN: "",
    CLOUDFLARE_ACCOUNT_ID: "",
  });
  expect([code, printed]).toEqual([0, expect.stringContaining("Nothing was uploaded.")]);
  expect([...printed.matchAll(/^built +(\S+) +Total Upload: \S+ KiB/gm)].map(([, name]) => name)).toEqual(
    all.map((name) => name.replace("countersign", "acme")),
  );
  expect(deploying.api.asked).toEqual([]);
});

describe("a gateway's life", () => {
  let key = "";
  let made: Record<string, string> = {};
  let first: Deployed;

  beforeAll(async () => {
    await deploying.reset();
    first = await deploying.deploy(["--yes", "--secret", "ANTHROPIC_API_KEY"], { ANTHROPIC_API_KEY: providerKey });
    made = deploying.kept();
  });

  test("the first deployment makes what is missing, deploys the five Workers in order, and the gateway answers at its address", async () => {
    const { code, printed } = first;
    expect([code, printed]).toEqual([0, expect.any(String)]);
    expect(uploads(deploying.api)).toEqual(all);
    expect(deploying.api.namespaces.map(({ title }) => title)).toEqual(["countersign-config"]);
    expect(bound("CONFIG")?.namespace_id).toBe(deploying.api.namespaces[0]?.id);
    expect([...(deploying.api.buckets ?? [])]).toEqual(["countersign-record"]);
    expect(bound("RECORD_BUCKET")).toMatchObject({ type: "r2_bucket", bucket_name: "countersign-record" });
    expect(bound("PUBLIC_URL")?.text).toBe(url);
    expect([gatewayScript().onWorkersDev, gatewayScript().crons]).toEqual([true, ["*/5 * * * *"]]);
    for (const name of all.slice(0, -1)) expect([name, deploying.api.scripts.get(name)?.onWorkersDev]).toEqual([name, false]);
    for (const line of [
      /^found +address +https:\/\/countersign\.acme\.workers\.dev$/m,
      /^made +KV namespace +countersign-config$/m,
      /^made +R2 bucket +countersign-record$/m,
      /^made +secrets +LINK_KEY, ADMIN_TOKEN, CONTENT_KEY, in .*countersign\.env/m,
      /^set +secrets +ANTHROPIC_API_KEY$/m,
      /^answers +gateway +https:\/\/countersign\.acme\.workers\.dev\/healthz says degraded$/m,
      /^good {2}gateway +Countersign \d\S+ is running\.$/m,
      /^good {2}worker countersign-pages +.*bound and answers/m,
      /^good {2}CONTENT_KEY +It is set\./m,
    ])
      expect(printed).toMatch(line);
  });

  test("its secrets are in a file for its user alone, in the upload, and neither printed nor in any process's arguments", () => {
    const { printed } = first;
    expect(Object.keys(made)).toEqual(["LINK_KEY", "ADMIN_TOKEN", "CONTENT_KEY"]);
    expect(new Set(Object.values(made)).size).toBe(3);
    const folder = join(deploying.checkout, ".countersign/deploy");
    if (process.platform !== "win32")
      expect([statSync(join(folder, "countersign.env")).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(readdirSync(folder).filter((name) => name.startsWith("secrets-"))).toEqual([]);
    for (const [name, value] of Object.entries({ ...made, ANTHROPIC_API_KEY: providerKey })) {
      expect(bound(name)).toEqual({ name, type: "secret_text", text: value });
      expect(printed).not.toContain(value);
      expect(deploying.api.argumentsSeen.some((line) => line.includes(value))).toBe(false);
    }
    if (process.platform === "linux") expect(deploying.api.argumentsSeen.some((line) => line.includes("wrangler"))).toBe(true);
  });

  test("the first API key is printed once, and the gateway takes it; three steps come next, the channel first", async () => {
    key = /^ {2}(csk_\S+)$/m.exec(first.printed)?.[1] ?? "";
    expect((await ask("/v1/models", key)).status).toBe(200);
    const { keys } = (await (await ask("/admin/keys", made["ADMIN_TOKEN"] ?? "")).json()) as { keys: { name: string }[] };
    expect(keys.map(({ name }) => name)).toEqual(["first"]);
    const steps = [...first.printed.slice(first.printed.indexOf("\nNext:")).matchAll(/^ {2}\d\. (.*)$/gm)].map(([, step]) => step);
    expect(steps).toEqual([
      expect.stringMatching(/^Set up a channel/),
      // The provider's key of this test is none.
      expect.stringMatching(/^Fix what the doctor names above/),
      expect.stringMatching(/^Connect a host/),
    ]);
  });

  // The next deployments are as long as the first: `npm run verify` has them.
  test.runIf(isWhole)("deployed again, it finds everything and changes nothing", async () => {
    deploying.api.asked.length = 0;
    const versions = [...deploying.api.scripts.values()].map((script) => script.versions.length);
    const { code, printed } = await deploying.deploy();
    expect([code, deploying.api.changes()]).toEqual([0, []]);
    expect([...printed.matchAll(/^unchanged +(\S+)$/gm)].map(([, name]) => name)).toEqual(all);
    expect(printed).toMatch(/^found +KV namespace +[0-9a-f]{32}$/m);
    expect(printed).toMatch(/^found +secrets +LINK_KEY, ADMIN_TOKEN, CONTENT_KEY$/m);
    expect([...deploying.api.scripts.values()].map((script) => script.versions.length)).toEqual(versions);
    expect(deploying.kept()).toEqual(made);
    expect(printed).not.toContain("csk_");
  });

  test.runIf(isWhole && process.platform === "linux")(
    "at a terminal it asks first, and a secret is typed without being shown; no is no",
    async () => {
      deploying.api.asked.length = 0;
      const refused = await deploying.deployAtTerminal([], [[/Deploy countersign-images, .* to .*\? \[Y\/n\] /, "n"]]);
      expect([refused.code, refused.printed, deploying.api.changes()]).toEqual([0, expect.stringContaining("Nothing was changed."), []]);
      const { code, printed } = await deploying.deployAtTerminal(
        ["--secret", "OPENAI_API_KEY"],
        [
          [/\[Y\/n\] /, ""],
          [/OPENAI_API_KEY \(not shown\): /, "sk-of-this-test"],
        ],
      );
      expect([code, printed]).toEqual([0, expect.not.stringContaining("sk-of-this-test")]);
      // One more version of the gateway, and the others stay.
      expect(uploads(deploying.api)).toEqual(["countersign"]);
      expect(bound("OPENAI_API_KEY")?.text).toBe("sk-of-this-test");
      expect([bound("LINK_KEY")?.text, bound("ANTHROPIC_API_KEY")?.text]).toEqual([made["LINK_KEY"], providerKey]);
    },
  );

  test.runIf(isWhole)("an upgrade uploads all four, and keeps the address, the secrets, the keys and the stored data", async () => {
    await ask("/admin/stops/servers/notes", made["ADMIN_TOKEN"] ?? "", { method: "PUT" });
    deploying.api.asked.length = 0;
    const before = gatewayScript().active.id;
    appendFileSync(join(deploying.checkout, "workers/index.ts"), "\n// The next version.\n");
    const { code, printed } = await deploying.deploy();
    expect([code, uploads(deploying.api)]).toEqual([0, all]);
    expect([...printed.matchAll(/^updated +(\S+)$/gm)].map(([, name]) => name)).toEqual(all);
    expect(gatewayScript().active.id).not.toBe(before);
    expect(deploying.api.namespaces).toHaveLength(1);
    expect([bound("PUBLIC_URL")?.text, bound("LINK_KEY")?.text]).toEqual([url, made["LINK_KEY"]]);
    expect((await ask("/v1/models", key)).status).toBe(200);
    expect(await (await ask("/admin/stops", made["ADMIN_TOKEN"] ?? "")).text()).toContain("notes");
  });

  test.runIf(isWhole)(
    "wrangler rollback brings the version before back, over the same stored data; the next deployment is an update again",
    async () => {
      const [previous] = gatewayScript().versions.slice(-2);
      await run(
        process.execPath,
        [wrangler, "rollback", previous?.id ?? "", "--name", "countersign", "--yes", "--message", "the new one fails"],
        {
          cwd: deploying.checkout,
          env: { ...process.env, ...deploying.environment({ CI: "true" }) },
        },
      );
      expect(gatewayScript().active.id).toBe(previous?.id);
      expect((await ask("/v1/models", key)).status).toBe(200);
      expect(await (await ask("/admin/stops", made["ADMIN_TOKEN"] ?? "")).text()).toContain("notes");
      const { printed } = await deploying.deploy();
      expect(printed).toMatch(/^unchanged +countersign-images$/m);
      expect(printed).toMatch(/^updated +countersign$/m);
    },
  );
});
