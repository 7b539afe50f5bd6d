// GET /healthz: which secrets the gateway refuses, and that a review which can reach nobody makes
// it degraded and not down.

import { describe, expect, test } from "vitest";
import type { Env } from "../../../workers/platform/env.ts";
import { configure, gatewayWith, policy } from "../support/gateway.ts";

/** No channel of its own, and a public address, so that the outbox is off. */
const deployed: Partial<Env> = {
  PUBLIC_URL: "https://gateway.example.com",
  EMAIL_FROM: "",
  RESEND_API_KEY: "",
  SLACK_BOT_TOKEN: "",
  SLACK_SIGNING_SECRET: "",
  SLACK_WEBHOOK_URL: "",
};

async function health(variables: Partial<Env>): Promise<{ code: number; status: string; problems: string[] }> {
  const response = await gatewayWith(variables, "/healthz");
  return { code: response.status, ...(await response.json<{ status: string; problems: string[] }>()) };
}

const reaching = (problems: readonly string[]): string[] => problems.filter((problem) => problem.startsWith("No channel reaches"));

describe("reaching people", () => {
  test("without a channel it is degraded, answers 200 and says what to do", async () => {
    await configure("policy", policy);
    const { code, status, problems } = await health(deployed);
    expect([code, status]).toEqual([200, "degraded"]);
    expect(reaching(problems)).toEqual([expect.stringMatching(/reaches any reviewer.*set up a channel/)]);
  });

  test("where one rule of several reaches nobody it says so, and names no rule and no person", async () => {
    await configure("policy", {
      rules: [{ name: "rule-of-ops", when: { server: "ops" }, then: { request: "review", response: "allow", reviewers: ["ops"] } }],
      default: { request: "review", response: "allow", reviewers: ["people"] },
      reviewers: { ops: [{ name: "Olga" }], people: [{ name: "Ada", email: "ada@example.com" }] },
    });
    const mail = { EMAIL_FROM: "Countersign <reviews@gateway.example.com>", RESEND_API_KEY: "re_full_0123456789abcdef" };
    const { status, problems } = await health({ ...deployed, ...mail });
    expect([status, reaching(problems)]).toEqual(["degraded", [expect.stringContaining("some rules")]]);
    expect(problems.join()).not.toMatch(/rule-of-ops|Olga|ada@/);
  });

  test("where the policy asks nobody, or a channel reaches them, there is nothing to say", async () => {
    await configure("policy", { rules: [], default: { request: "allow", response: "allow" }, reviewers: {} });
    expect(reaching((await health(deployed)).problems)).toEqual([]);
    await configure("policy", policy);
    expect(reaching((await health({ ...deployed, OUTBOX: "on" })).problems)).toEqual([]);
  });
});

describe("secrets that are refused", () => {
  test.each([
    [{ LINK_KEY: "" }, /^LINK_KEY is missing or too short/],
    [{ LINK_KEY: "short" }, /^LINK_KEY is missing or too short/],
    [{ LINK_KEY: "change-me-change-me-change-me" }, /^LINK_KEY is an example and not a secret/],
    [{ CONTENT_KEY: "short" }, /^CONTENT_KEY is shorter than 16/],
    [{ CONTENT_KEY: "<32 random characters>" }, /^CONTENT_KEY is an example/],
    [{ CONTENT_KEY_PREVIOUS: "replace-me-with-a-secret" }, /^CONTENT_KEY_PREVIOUS is an example/],
  ])("%j stops the gateway", async (variables, words) => {
    const { code, status, problems } = await health({ ...deployed, ...variables });
    expect([code, status]).toEqual([503, "down"]);
    expect(problems).toEqual([expect.stringMatching(words)]);
  });

  test.each(["short", "your-admin-token-goes-here", "xxxxxxxxxxxxxxxxxxxxxxxx"])(
    "ADMIN_TOKEN %j lets nobody in, and health says why",
    async (token) => {
      const { code, problems } = await health({ ...deployed, ADMIN_TOKEN: token });
      expect(code).toBe(200);
      expect(problems).toContainEqual(expect.stringMatching(/^ADMIN_TOKEN is .*not accepted/));
      expect((await gatewayWith({ ...deployed, ADMIN_TOKEN: token }, "/admin/policy", { key: token })).status).toBe(401);
    },
  );

  test("DEV_API_KEY that is an example is no API key, also on a loopback address", async () => {
    const example = "example-dev-key-0123456789";
    expect((await gatewayWith({ DEV_API_KEY: example }, "/v1/models", { key: example })).status).toBe(401);
  });
});
