// What a deployment decides before it does anything: secrets, the address, names, failures in
// words, the next steps.

import { describe, expect, test } from "vitest";
import { explain } from "../../../scripts/deploy/deploy-error.ts";
import { deployMessage, deployedWorker, isOurs } from "../../../scripts/deploy/deployed-worker.ts";
import { bucketName, type RawConfig, addressOf, besideName, gatewayConfig } from "../../../scripts/deploy/gateway-config.ts";
import { nextSteps } from "../../../scripts/deploy/next-steps.ts";
import { readOptions } from "../../../scripts/deploy/options.ts";
import { chooseSecrets } from "../../../scripts/deploy/secret-choice.ts";

const raw: RawConfig = {
  name: "countersign",
  main: "workers/index.ts",
  vars: { PUBLIC_URL: "", RETENTION_HOURS: "12" },
  kv_namespaces: [{ binding: "CONFIG" }, { binding: "OTHER", id: "of-somebody" }],
  r2_buckets: [{ binding: "RECORD_BUCKET" }, { binding: "OWN", bucket_name: "of-somebody" }],
  services: [
    { binding: "IMAGES", service: "countersign-images" },
    { binding: "OWN", service: "billing" },
  ],
};

describe("secrets", () => {
  let count = 0;
  const random = (): string => `k3vX0rT2mB1cQ9aZ7yLw4A-${(count += 1)}`;
  const given = { there: new Set<string>(), isNew: true, kept: {}, environment: {}, asked: {}, random };
  const chosen = (more: Partial<Parameters<typeof chooseSecrets>[0]>) => chooseSecrets({ ...given, ...more });

  test("of a new gateway are made, each of its own", () => {
    const result = chosen({});
    if (!result.ok) throw new Error(result.error);
    expect(result.value.made).toEqual(["LINK_KEY", "ADMIN_TOKEN", "CONTENT_KEY"]);
    expect(new Set(Object.values(result.value.set)).size).toBe(3);
  });

  test("that the gateway has are never set again; CONTENT_KEY is not forced on a gateway that runs without it", () => {
    expect(chosen({ isNew: false, there: new Set(["LINK_KEY", "ADMIN_TOKEN"]) })).toEqual({ ok: true, value: { set: {}, made: [] } });
    expect(chosen({ isNew: false, there: new Set(["LINK_KEY"]) })).toMatchObject({ value: { made: ["ADMIN_TOKEN"] } });
  });

  test("of an earlier run are used again, and those of the environment before them", () => {
    const kept = { LINK_KEY: "kept-link-key-2718281828", CONTENT_KEY: "kept-content-key-2718281828" };
    const environment = { LINK_KEY: "given-link-key-3141592653" };
    expect(chosen({ kept, environment })).toMatchObject({
      value: { set: { LINK_KEY: environment.LINK_KEY, CONTENT_KEY: kept.CONTENT_KEY }, made: ["ADMIN_TOKEN"] },
    });
  });

  test("are not made where nobody would see them: the two that a gateway needs are wanted, the third is left out", () => {
    expect(chosen({ random: null })).toMatchObject({ ok: false, error: expect.stringContaining("LINK_KEY is not set") });
    const environment = { LINK_KEY: "given-link-key-3141592653", ADMIN_TOKEN: "given-admin-token-3141592653" };
    expect(chosen({ random: null, environment })).toEqual({ ok: true, value: { set: environment, made: [] } });
  });

  test("of a provider may be short, but not empty", () => {
    expect(chosen({ asked: { LOCAL_KEY: "ollama" } })).toMatchObject({ ok: true });
    expect(chosen({ asked: { LOCAL_KEY: " " } })).toMatchObject({ ok: false, error: expect.stringContaining("LOCAL_KEY is empty") });
  });
});

describe("the address", () => {
  const of = (more: Partial<Parameters<typeof addressOf>[0]>) =>
    addressOf({ domain: undefined, raw, deployed: "", name: "countersign", subdomain: "acme", ...more });
  const own = { ...raw, vars: { PUBLIC_URL: "https://own.example.com/review" } };

  test.each([
    [
      "the domain that is asked for",
      { domain: "new.example.com", raw: own, deployed: "https://old.example.com" },
      "custom",
      "https://new.example.com",
    ],
    ["else that of wrangler.toml", { raw: own, deployed: "https://old.example.com" }, "own", "https://own.example.com/review"],
    ["else the domain that it has", { deployed: "https://old.example.com" }, "custom", "https://old.example.com"],
    ["else that of workers.dev", { deployed: "https://countersign.old.workers.dev" }, "workersDev", "https://countersign.acme.workers.dev"],
  ] as const)("is %s", (_what, more, kind, publicUrl) => {
    expect(of(more)).toEqual({ kind, publicUrl });
  });

  test("is none without a subdomain and a domain", () => {
    expect(of({ subdomain: null })).toBeNull();
    expect(of({ subdomain: null, domain: "new.example.com" })).not.toBeNull();
  });
});

test("the configuration has this deployment's names and address, and everything else as it was", () => {
  const config = gatewayConfig(raw, {
    name: "acme",
    address: { kind: "custom", publicUrl: "https://new.example.com" },
    kvId: "1",
    hasBucket: true,
    root: "/checkout",
  });
  expect(config).toEqual({
    name: "acme",
    main: "/checkout/workers/index.ts",
    workers_dev: false,
    vars: { PUBLIC_URL: "https://new.example.com", RETENTION_HOURS: "12" },
    kv_namespaces: [{ binding: "CONFIG", id: "1" }, raw.kv_namespaces?.[1]],
    r2_buckets: [{ binding: "RECORD_BUCKET", bucket_name: "acme-record" }, raw.r2_buckets?.[1]],
    services: [{ binding: "IMAGES", service: "acme-images" }, raw.services?.[1]],
  });
  const withoutR2 = gatewayConfig(raw, { name: "acme", address: { kind: "own", publicUrl: "" }, kvId: "1", hasBucket: false, root: "" });
  expect(withoutR2.r2_buckets).toEqual([raw.r2_buckets?.[1]]);
  const own = { ...raw, r2_buckets: [{ binding: "RECORD_BUCKET", bucket_name: "ours" }] };
  expect([bucketName(raw, "acme"), bucketName(own, "acme"), bucketName({}, "acme")]).toEqual(["acme-record", "ours", undefined]);
  // The button writes the chosen name into wrangler.toml, and leaves the services.
  expect(besideName({ name: "chosen" }, "chosen", "countersign-pages")).toBe("chosen-pages");
});

test("a Worker is ours by the message of its version, or by the gateway's objects; another of the same name is not", () => {
  const worker = (message: string, bindings: object[] = []) =>
    deployedWorker({ annotations: { "workers/message": message }, resources: { bindings } }, {}, { enabled: false });
  expect(isOurs(worker(deployMessage("0.1.0", "d".repeat(64))))).toBe(true);
  expect(isOurs(worker("", [{ name: "CONFIGURATION", type: "durable_object_namespace", class_name: "ConfigObject" }]))).toBe(true);
  expect(isOurs(worker("Fix the shop"))).toBe(false);
});

test.each([
  ["✘ [ERROR] A request to the Cloudflare API failed.\n  Authentication error [code: 10000]", /does not accept this credential/],
  ["✘ [ERROR] You need a workers.dev subdomain [code: 10063]", /no workers\.dev subdomain/],
  ["✘ [ERROR] CPU limits are not supported for the Free plan. [code: 100328]", /free plan/],
  ["✘ [ERROR] a namespace with this account ID and title already exists [code: 10014]", /uses the one that is there/],
  ["✘ [ERROR] Your Worker exceeded the size limit of 3 MiB. [code: 10027]", /Workers Paid/],
  ["✘ [ERROR] fetch failed", /did not answer as it should/],
  ["✘ [ERROR] Something new", /Correct what it names.*run npm run deploy again/],
])("%j is explained", (output, words) => {
  const error = explain("Deploying countersign", `Total Upload: 1 KiB\n${output}\n🪵  Logs were written to "/home/ann"`);
  expect(error.message).toMatch(words);
  expect(error.details).toBe(output);
});

test("the next steps are three, the most urgent first", () => {
  const gateway = { url: "https://gateway.example.com", checks: [], model: "claude", hasKey: true };
  const unreached = { check: "reviewers", state: "fix", text: "" } as const;
  expect(nextSteps({ ...gateway, checks: [unreached], model: "demo" }).map((step) => step.slice(0, 20))).toEqual([
    "Set up a channel tha",
    "Let a model answer: ",
    "Connect a host or an",
  ]);
  expect(nextSteps(gateway)).toHaveLength(3);
  expect(nextSteps({ ...gateway, hasKey: false })[0]).toContain("Make an API key");
});

test("an argument that is refused is not quoted: it may be a secret", () => {
  for (const args of [
    ["--secret", "sk-ant-of-a-mistake"],
    ["sk-ant-of-a-mistake"],
    ["--token=sk-ant-of-a-mistake"],
    ["--account", "sk-ant-of-a-mistake"],
  ]) {
    const read = readOptions(args);
    expect([read.ok, JSON.stringify(read)]).toEqual([false, expect.not.stringContaining("of-a-mistake")]);
  }
  expect(readOptions(["--secret", "A_KEY", "--secret", "A_KEY"])).toMatchObject({ value: { secrets: ["A_KEY"], waitSeconds: 180 } });
});
