// npm run deploy where something is wrong: it says what, and what to do; it changes nothing, or
// goes on where it stopped.

import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { isWhole, oneIn } from "../../outside/support/whole.ts";
import { type Deploying, startDeploying, uploads } from "./deploying.ts";

let deploying: Deploying;

// A deployment is ten processes, each of which a busy machine may keep for ten seconds.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

beforeAll(async () => {
  deploying = await startDeploying();
});
afterEach(() => deploying.reset());
afterAll(() => deploying?.close());

type Case = {
  readonly what: string;
  readonly says: RegExp;
  readonly set?: () => void;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

/** A credential with access to two. */
const several = () => deploying.api.accounts.push({ id: "f".repeat(32), name: "Other" });

describe("nothing is changed where", () => {
  const cases: readonly Case[] = [
    {
      what: "nobody is logged in",
      env: { CLOUDFLARE_API_TOKEN: "" },
      says: /not logged in to Cloudflare.*npx wrangler login.*CLOUDFLARE_API_TOKEN/,
    },
    {
      what: "the token is wrong",
      env: { CLOUDFLARE_API_TOKEN: "token-that-is-wrong-0123456789" },
      says: /does not accept this credential.*Edit Cloudflare Workers/,
    },
    {
      what: "the token has no account",
      env: { CLOUDFLARE_ACCOUNT_ID: "" },
      set: () => void deploying.api.accounts.splice(0),
      says: /CLOUDFLARE_ACCOUNT_ID/,
    },
    {
      what: "the token has several accounts",
      env: { CLOUDFLARE_ACCOUNT_ID: "" },
      set: several,
      says: /several accounts: Acme \(\w+\), Other \(f+\)\. Choose one with --account/,
    },
    { what: "the account is another's", args: ["--yes", "--account", "e".repeat(32)], says: /does not accept this credential|no access/ },
    {
      what: "there is no workers.dev subdomain",
      set: () => (deploying.api.subdomain = null),
      says: /no workers\.dev subdomain\. Choose one in the dashboard.*--domain/,
    },
    {
      what: "a Worker of that name is somebody else's",
      set: () => deploying.api.addForeign("countersign-tools"),
      says: /a Worker named countersign-tools, which npm run deploy did not deploy\. Choose another name with --name, or add --replace/,
    },
    {
      what: "the domain leads to another Worker",
      args: ["--yes", "--domain", "gateway.example.com"],
      set: () => deploying.api.domains.set("gateway.example.com", "shop"),
      says: /gateway\.example\.com leads to the Worker shop/,
    },
    {
      what: "a secret is empty",
      args: ["--yes", "--secret", "OPENAI_API_KEY"],
      says: /put its value into the environment variable OPENAI_API_KEY/,
    },
    {
      what: "a secret is an example",
      env: { ADMIN_TOKEN: "change-me-change-me" },
      says: /ADMIN_TOKEN is an example and not a secret: use a random text/,
    },
    { what: "a secret is short", env: { LINK_KEY: "short" }, says: /LINK_KEY is shorter than 16 characters/ },
    {
      what: "two secrets are one",
      env: { LINK_KEY: "one-text-for-both-2718", ADMIN_TOKEN: "one-text-for-both-2718" },
      says: /is the same as another secret/,
    },
    {
      what: "CI has no secrets for a new gateway",
      env: { CI: "true" },
      says: /LINK_KEY is not set, and here none is made.*openssl rand -base64 32/,
    },
  ];

  test.each(oneIn(8, cases))("$what", async ({ args, env, set, says }) => {
    set?.();
    const { code, printed } = await deploying.deploy(args, env);
    expect([code, printed]).toEqual([1, expect.stringMatching(says)]);
    expect(deploying.api.changes()).toEqual([]);
    expect(printed).not.toMatch(/\n\s+at .*\.ts:\d+|change-me-change-me|one-text-for-both/);
  });

  test.each([
    [["--name", "Not A Name"], /--name must be/],
    [["--domain", "https://gateway.example.com"], /--domain must be a host name/],
    [["--secret", "OPENAI_API_KEY=sk-of-a-mistake"], /--secret takes the name of a secret/],
    [["--unknown", "sk-of-a-mistake"], /an option is unknown/],
  ])("the arguments %j are wrong", async (args, says) => {
    const { code, printed } = await deploying.deploy(args);
    expect([code, printed]).toEqual([2, expect.stringMatching(says)]);
    expect(printed).not.toContain("sk-of-a-mistake");
    expect(deploying.api.asked).toEqual([]);
  });
});

describe.runIf(isWhole)("a deployment that fails half-way", () => {
  test("goes on when it is run again: with the same secrets, the same namespace, and only what is missing", async () => {
    deploying.api.fail(
      "PUT",
      /\/workers\/scripts\/countersign$/,
      403,
      10_037,
      "You have exceeded the limit of 100 Workers on your account.",
    );
    const failed = await deploying.deploy();
    expect([failed.code, failed.printed]).toEqual([
      1,
      expect.stringMatching(
        /Deploying countersign failed\. The account has as many Workers as its plan allows.*Then run npm run deploy again[\s\S]*code: 10037/,
      ),
    ]);
    const made = deploying.kept();
    expect(Object.keys(made)).toHaveLength(3);
    expect(deploying.api.namespaces).toHaveLength(1);
    deploying.api.asked.length = 0;

    deploying.api.fail("PUT", /\/schedules$/, 400, 10_072, "workers.api.error.too_many_crons");
    const withoutCron = await deploying.deploy();
    expect([withoutCron.code, withoutCron.printed]).toEqual([
      1,
      expect.stringMatching(/as many cron triggers as its plan allows.*Workers Paid/),
    ]);
    expect(withoutCron.printed).toMatch(/^unchanged +countersign-pages$/m);
    expect(uploads(deploying.api)).toEqual(["countersign"]);

    const silent = await deploying.deploy(["--yes", "--wait", "1"], { HTTPS_PROXY: "http://127.0.0.1:1" });
    expect([silent.code, silent.printed]).toEqual([1, expect.stringMatching(/did not answer within 1 seconds.*deploys nothing twice/)]);

    const { code } = await deploying.deploy();
    expect([code, deploying.api.scripts.get("countersign")?.crons]).toEqual([0, ["*/5 * * * *"]]);
    expect([deploying.kept(), deploying.api.namespaces.length]).toEqual([made, 1]);
    const secrets = deploying.api.scripts.get("countersign")?.active.bindings.filter(({ type }) => type === "secret_text");
    expect(Object.fromEntries((secrets ?? []).map(({ name, text }) => [name, text]))).toEqual(made);
  });
});

test.runIf(isWhole)(
  "a custom domain is attached after the gateway is there, over nobody's DNS records, and stays without being named again",
  async () => {
    const domain = ["--yes", "--domain", "gateway.example.com"];
    deploying.api.subdomain = null;
    deploying.api.records.add("gateway.example.com");
    const inTheWay = await deploying.deploy(domain);
    expect([inTheWay.code, inTheWay.printed]).toEqual([
      1,
      expect.stringMatching(/gateway\.example\.com has DNS records of its own\. Delete them/),
    ]);
    expect([...deploying.api.domains]).toEqual([]);

    deploying.api.records.clear();
    const { code, printed } = await deploying.deploy(domain);
    expect([code, printed]).toEqual([0, expect.stringMatching(/^attached +domain +gateway\.example\.com$/m)]);
    expect([...deploying.api.domains]).toEqual([["gateway.example.com", "countersign"]]);
    expect(deploying.api.scripts.get("countersign")).toMatchObject({ onWorkersDev: false, crons: ["*/5 * * * *"] });
    expect(printed).toContain("https://gateway.example.com/healthz says degraded");

    deploying.api.asked.length = 0;
    const again = await deploying.deploy();
    expect([again.code, deploying.api.changes()]).toEqual([0, []]);
    expect(again.printed).toMatch(/^found +address +https:\/\/gateway\.example\.com$/m);
  },
);

test.runIf(isWhole)(
  "in CI secrets come from the environment or, with the deploy button, from the dashboard: nothing is made or printed that only a log would have",
  async () => {
    const build = await deploying.deploy([], { CI: "true", WORKERS_CI: "1", WRANGLER_CI_OVERRIDE_NAME: "acme-review" });
    expect([build.code, build.printed]).toEqual([0, expect.stringMatching(/waits for its secrets: LINK_KEY is missing.*in the dashboard/)]);
    // Each has the name that the owner chose.
    expect([...deploying.api.scripts.keys()]).toEqual(["acme-review-images", "acme-review-tools", "acme-review-pages", "acme-review"]);
    const services = deploying.api.scripts.get("acme-review")?.active.bindings.filter(({ type }) => type === "service");
    expect(services?.map(({ service }) => service)).toEqual(["acme-review-images", "acme-review-tools", "acme-review-pages"]);

    const secrets = { LINK_KEY: "k3vX0rT2mB1cQ9aZ7yLw4A-link", ADMIN_TOKEN: "k3vX0rT2mB1cQ9aZ7yLw4A-admin" };
    const { code, printed } = await deploying.deploy(["--name", "acme-review"], { CI: "true", ...secrets });
    expect([code, printed]).toEqual([0, expect.stringMatching(/^set +secrets +LINK_KEY, ADMIN_TOKEN$/m)]);
    expect(deploying.kept("acme-review")).toEqual({});
    expect(printed).not.toMatch(new RegExp(`csk_|${Object.values(secrets).join("|")}`));
    expect(printed).toContain("Make an API key for a host (docs/operations.md).");
  },
);
