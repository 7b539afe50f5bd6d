import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { Response, kCurrentWorker } from "miniflare";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { fileURLToPath } from "node:url";
import { builtWorker } from "./scripts/built-workers.ts";
import { clientHosts } from "./test/support/client-documents.ts";
import { minify, sourceAsOneModule } from "./test/support/one-module.ts";
import { packageRules, packagesAsFiles } from "./test/support/packages-as-files.ts";
import { keepTemporaryFilesInMemory } from "./test/support/temporary-folder.ts";

keepTemporaryFilesInMemory();

/** Loaded module by module, these packages are half of a test file's time. */
const packages = [
  "@cfworker/json-schema",
  "@hono/zod-validator",
  "@modelcontextprotocol/client",
  "diff",
  "fast-check",
  "fflate",
  "hono",
  "hono/cors",
  "hono/html",
  "hono/http-exception",
  "hono/jsx",
  "hono/jsx/jsx-runtime",
  "jose",
  "zod",
];

/** What the OAuth Worker reaches. */
function internet(request: { readonly url: string }): Response {
  const { body, ...init } = clientHosts(request);
  return new Response(body, init);
}

/** The Worker with its objects, inside workerd. */
const workerd = (more: Readonly<Record<string, string>> = {}) =>
  cloudflareTest(async () => ({
    main: "./test/workers/support/worker-with-tools.ts",
    wrangler: { configPath: "./wrangler.toml" },
    miniflare: {
      workers: [
        ...(await Promise.all((["countersign-images", "countersign-pages"] as const).map(builtWorker))),
        { ...(await builtWorker("countersign-oauth")), outboundService: internet },
      ],
      serviceBindings: { TOOLS: { name: kCurrentWorker, entrypoint: "ToolsWorker" } },
      modulesRules: [...packageRules],
      bindings: {
        PUBLIC_URL: "http://localhost:8787",
        ADMIN_TOKEN: "admin-token-of-the-tests-0123456789",
        LINK_KEY: "link-key-of-the-tests-0123456789abcdef",
        DEV_API_KEY: "dev-key-of-the-tests-0123456789abcdef",
        // The channels' hosts are scripted by the tests that use them; a reviewer without an
        // address needs none.
        EMAIL_FROM: "Countersign <reviews@gateway.example.com>",
        RESEND_API_KEY: "re_full_0123456789abcdef",
        RESEND_BASE_URL: "https://mail.example.com",
        SLACK_BOT_TOKEN: "xoxb-token-of-the-tests-0123456789",
        SLACK_SIGNING_SECRET: "signing-secret-of-the-tests-0123456789",
        SLACK_API_URL: "https://slack.example.com/api/",
        TEAMS_REVIEWS_URL: "https://teams.example.com/workflows/1?sig=signature-of-the-tests",
        NTFY_PHONE_URL: "https://ntfy.example.com/topic-of-the-tests",
        NTFY_PHONE_TOKEN: "tk_token-of-the-tests-0123456789",
        TELEGRAM_BOT_TOKEN: "123456789:AAtoken-of-the-tests-0123456789abcdef",
        TELEGRAM_API_URL: "https://telegram.example.com/",
        WEBHOOK_TEAMS_URL: "https://webhook.example.com/teams",
        WEBHOOK_TEAMS_SECRET: "whsec_dGhlIHNlY3JldCBvZiB0aGUgd2ViaG9vayBvZiB0aGUgdGVzdHM=",
        ...more,
      },
    },
  }));

const root = fileURLToPath(new URL(".", import.meta.url));
const inFewModules = [sourceAsOneModule(root), packagesAsFiles(root, packages)];

/**
 * Files share runtimes, each of which takes two seconds of a core. What a test left under way finds
 * no object and no key of another test (test/workers/support/scope.ts).
 */
const inWorkerd = {
  isolate: false,
  setupFiles: ["test/workers/support/each-file.ts"],
  hookTimeout: 60_000,
  deps: {
    optimizer: { ssr: { enabled: true, include: ["ajv/dist/2020.js"], rolldownOptions: { output: { minify } } } },
  },
};

/**
 * Files at a time, of all the projects that run together (vitest wants one number for these). More
 * than there are cores, since most of them wait more than they work.
 */
const atOnce = 5;

/** Processes, real servers and clients, a real browser. */
const fromOutside = <T extends object>(own: T) => ({
  globalSetup: ["test/outside/support/no-chromium.ts", "test/outside/support/build-gateway.ts"],
  testTimeout: 180_000,
  hookTimeout: 180_000,
  ...own,
});

/**
 * What waits most begins first, and the pure tests, which are many and short, come last: both cores
 * have work until the end.
 */
class PureLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = ["outside", "smoke", "sealed", "traced", "workers", "pure"];
    const placeOf = ({ project }: TestSpecification): number => order.indexOf(project.name);
    return (await super.sort(files)).toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: PureLast },
    // What a passing test prints is of no use to whoever reads the run.
    silent: "passed-only",
    // Of what its test did not wait for (test/workers/support/in-flight.ts).
    onUnhandledError: ({ message }) => !message.startsWith("The test has ended."),
    projects: [
      {
        // Pure code and pages, in Node.
        test: {
          name: "pure",
          include: [
            "test/shared/**/*.test.{ts,tsx}",
            "test/client/**/*.test.ts",
            "test/attack/kills/*.test.ts",
            "test/mutants/**/*.test.ts",
            "test/architecture.test.ts",
          ],
          // Nothing here has state that another file could find: each worker loads a module once.
          isolate: false,
          // Long enough for the longest property on a machine that does three other things.
          testTimeout: 180_000,
          maxWorkers: atOnce,
        },
      },
      {
        // Objects and routes, inside workerd.
        plugins: [...inFewModules, workerd()],
        test: {
          name: "workers",
          include: ["test/workers/**/*.test.{ts,tsx}"],
          exclude: ["test/workers/sealed/**", "test/workers/traced/**"],
          testTimeout: 180_000,
          maxWorkers: atOnce,
          ...inWorkerd,
        },
      },
      {
        // The same, of a gateway that encrypts what it stores.
        plugins: [...inFewModules, workerd({ CONTENT_KEY: "content-key-of-the-tests-0123456789abcdef" })],
        test: { name: "sealed", include: ["test/workers/sealed/**/*.test.ts"], testTimeout: 180_000, maxWorkers: atOnce, ...inWorkerd },
      },
      {
        // The same, of a gateway that exports spans.
        plugins: [
          ...inFewModules,
          workerd({
            OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example.com/otlp",
            OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20collector-token-of-the-tests",
            METRICS_TOKEN: "metrics-token-of-the-tests-0123456789",
          }),
        ],
        test: { name: "traced", include: ["test/workers/traced/**/*.test.ts"], testTimeout: 180_000, maxWorkers: atOnce, ...inWorkerd },
      },
      {
        // Whether the Worker works at all, for `npm run test:fast`. It is one of the files of the
        // project before this.
        plugins: [...inFewModules, workerd()],
        test: { name: "smoke", include: ["test/workers/smoke.test.ts"], testTimeout: 180_000, maxWorkers: atOnce, ...inWorkerd },
      },
      // One of each kind from outside.
      { test: fromOutside({ name: "outside", include: ["test/outside/**/*.test.ts"], maxWorkers: atOnce }) },
      // The rest from outside, with a sample of the attacks: `npm run test:rest`.
      {
        test: fromOutside({
          name: "rest",
          include: ["test/rest/**/*.test.ts", "test/upgrade/*.test.ts", "test/attack/*.test.ts", "test/scripts/**/*.test.ts"],
          exclude: ["test/rest/workers/**"],
          sequence: { groupOrder: 1 },
          maxWorkers: 6,
        }),
      },
      {
        // Whole, of what the project `workers` has samples of (support/whole.ts): `npm run test:rest`.
        plugins: [...inFewModules, workerd()],
        test: {
          name: "rest-workers",
          include: ["test/rest/workers/**/*.test.ts"],
          provide: { isWhole: true },
          testTimeout: 180_000,
          maxWorkers: atOnce,
          ...inWorkerd,
        },
      },
      {
        // All attacks, faults and kills: `npm run attack`. One file at a time, since kills are
        // judged by the time.
        test: {
          name: "attack",
          include: ["test/attack/*.test.ts"],
          globalSetup: ["test/attack/build-without.ts"],
          env: { WHOLE: "1" },
          hookTimeout: 180_000,
          sequence: { groupOrder: 4 },
          maxWorkers: 1,
        },
      },
      {
        // Whole matrices, which take minutes each: `npm run verify`. `npm run test:rest` holds a
        // sample of each.
        test: {
          name: "verify",
          include: ["test/verify/*.test.ts"],
          globalSetup: ["test/outside/support/no-chromium.ts", "test/outside/support/build-gateway.ts"],
          testTimeout: 1_800_000,
          hookTimeout: 180_000,
          sequence: { groupOrder: 2 },
          maxWorkers: 1,
          passWithNoTests: true,
        },
      },
      {
        plugins: [...inFewModules, workerd()],
        test: {
          name: "verify-workers",
          include: ["test/verify/workers/**/*.test.ts"],
          testTimeout: 1_800_000,
          sequence: { groupOrder: 3 },
          maxWorkers: 1,
          ...inWorkerd,
        },
      },
    ],
  },
});
