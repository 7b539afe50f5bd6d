// What a reviewer allowed for later requests: given on the page, listed for the operator.

import { jsonOf } from "../../../shared/json/json-of.ts";
import type { Grant } from "../../../shared/policy/grant.ts";
import { keyStub } from "../../../workers/stubs/stubs.ts";
import { adminJson, env, policy } from "./gateway.ts";

/**
 * Which gates a server meets is its name's; all those that are added here enable grants but the
 * last.
 */
export const grantingPolicy = {
  ...policy,
  rules: [
    { name: "granting", when: { server: "granting*" }, then: { request: "review", response: "allow", grants: true } },
    { name: "granting replies", when: { server: "replies" }, then: { request: "allow", response: "review", grants: true } },
    { name: "granting both", when: { server: "both*" }, then: { request: "review", response: "review", grants: true } },
    {
      name: "two people",
      when: { server: "two" },
      then: { request: "review", response: "allow", grants: true, quorum: 2, reviewers: ["pair"] },
    },
    { name: "none", when: { server: "none" }, then: { request: "review", response: "allow" } },
    ...policy.rules,
  ],
  reviewers: { everyone: [{ name: "Ada" }], pair: [{ name: "Bo" }, { name: "Cy" }] },
};

/** Chooses on the page what an approval is to be remembered as, such as `tool:shape`. */
export const allowing =
  (grant: string, { uses = 10, hours = 24 }: { uses?: number; hours?: number } = {}) =>
  (fields: URLSearchParams): void => {
    fields.set("act", "allow");
    fields.set("grant", grant);
    fields.set("grant-uses", String(uses));
    fields.set("grant-hours", String(hours));
  };

export type GrantLine = Record<string, unknown> & {
  readonly id: string;
  readonly state: string;
  readonly usesLeft: number;
  readonly spendLeftUsd: number;
};

export const grantList = async (query = ""): Promise<GrantLine[]> =>
  (await adminJson<{ grants: GrantLine[] }>(`/grants${query === "" ? "" : `?${query}`}`)).grants;

/** A grant without the page, for a key: what a run would hand to the key's object. */
export async function givenGrant(key = "key_dev", over: Partial<Grant> = {}): Promise<string> {
  const grant: Grant = {
    id: `${key}.0123456789012345678901`,
    key,
    gate: "request",
    scope: { kind: "session", session: "session-1", server: "notes", tool: { method: "tools/call", name: "summarize" } },
    what: "shape",
    digest: "shape-1",
    charactersAtMost: 1_000,
    maxTokensAtMost: 100,
    riskAtMost: "low",
    provenance: "claimed",
    by: "Ada",
    run: "run_1",
    rule: "default",
    givenAt: Date.now(),
    expiresAt: Date.now() + 3_600_000,
    usesGiven: 2,
    usesLeft: 1,
    spendLeftMicroUsd: 150,
    lastUsedAt: Date.now(),
    revokedAt: null,
    ...over,
  };
  await keyStub(env, key).giveGrant(jsonOf(grant));
  return grant.id;
}
