// What each version stored, opened by this one: what waits is finished, and the rest is kept.
//
// `MAKE_STATE=1 npx vitest run --project rest test/upgrade` stores the state of this version anew,
// as test/upgrade/version-<number>.zip, with the number after the last frozen one
// (scripts/freeze-state.ts): a frozen state is never made again.

import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nextState, stateFile } from "../../scripts/freeze-state.ts";
import { verifyRecord } from "../../scripts/verify-record.ts";
import { type Answer, type Killable, adminToken, decideByLink, killableGateway } from "../outside/support/killable-gateway.ts";
import { type StoredState, pack, unpack } from "./stored-state.ts";

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const policy = (deadlineSeconds: number): object => ({
  rules: [
    { name: "open", when: { server: "open" }, then: { request: "allow", response: "allow" } },
    { name: "request-gate", when: { server: "request-gate" }, then: { request: "review", response: "allow", deadlineSeconds } },
    { name: "response-gate", when: { server: "response-gate" }, then: { request: "allow", response: "review", deadlineSeconds } },
  ],
  default: { request: "review", response: "review", reviewers: ["everyone"] },
  reviewers: { everyone: [{ name: "Ada" }] },
});

const demo = {
  providers: { demo: { kind: "demo" } },
  models: [
    {
      id: "demo",
      provider: "demo",
      name: "demo",
      tools: true,
      accepts: ["text"],
      contextTokens: 100_000,
      maxOutputTokens: 10_000,
      price: { inputPerMTok: 0, outputPerMTok: 0 },
      scores: { intelligence: 0.5, speed: 0.5, cost: 0.5 },
    },
  ],
};

const ofOperator = async <T>(gateway: Killable, path: string, init: RequestInit = {}): Promise<T> => {
  const headers = { Authorization: `Bearer ${adminToken}`, "Content-Type": "application/json" };
  return (await (await fetch(`${gateway.url}/admin${path}`, { ...init, headers })).json()) as T;
};

const runIn = (answer: Answer | null): string => answer?.result?._meta["countersign/run"].id ?? `none: ${JSON.stringify(answer)}`;

test.runIf(process.env["MAKE_STATE"] === "1")("stores the state of this version", async () => {
  const gateway = await killableGateway();
  await gateway.start();
  await gateway.rule(policy(60));
  await gateway.rule(policy(600));
  await gateway.put("routing", demo);
  const made = await ofOperator<{ key: string; id: string }>(gateway, "/keys", {
    method: "POST",
    body: JSON.stringify({ name: "kept", scopes: ["sampling"] }),
  });
  const answered = runIn(await gateway.ask("answered", "open").answer);
  const decided = gateway.ask("approved", "request-gate");
  await decideByLink((await gateway.review("request")).link ?? "", "approve");
  const approved = runIn(await decided.answer);
  void gateway.ask("alpha", "request-gate");
  const { run: request } = await gateway.review("request");
  void gateway.ask("beta", "response-gate");
  const { run: response } = await gateway.review("response");
  await gateway.stop();
  const state = { key: made.key, keyId: made.id, runs: { answered, approved, request, response } };
  pack(gateway.folder, state, here(stateFile(nextState())));
  await gateway.close();
});

const versions = readdirSync(here(".")).filter((name) => name.endsWith(".zip"));

describe.each(versions)("what is stored in %s", (file) => {
  let gateway: Killable;
  let state: StoredState;
  beforeAll(async () => {
    gateway = await killableGateway();
    state = unpack(here(file), gateway.folder);
    await gateway.start();
  });
  afterAll(() => gateway?.close());

  test("documents and keys are in force, with their versions", async () => {
    expect(await ofOperator(gateway, "/policy")).toMatchObject({ version: 2, ...policy(600) });
    const { versions: written } = await ofOperator<{ versions: object[] }>(gateway, "/policy/versions");
    expect(written).toMatchObject([
      { version: 2, by: { kind: "adminToken" }, restored: null },
      { version: 1, by: { kind: "adminToken" }, restored: null },
    ]);
    expect(await ofOperator(gateway, "/routing")).toMatchObject({ version: 1, models: [{ id: "demo" }] });
    const response = await fetch(`${gateway.url}/v1/models`, { headers: { Authorization: `Bearer ${state.key}` } });
    expect([response.status, (await ofOperator<{ keys: { id: string }[] }>(gateway, "/keys")).keys.map(({ id }) => id)]).toEqual([
      403,
      expect.arrayContaining([state.keyId]) as string[],
    ]);
  });

  test.each(["request", "response"] as const)(
    "the open review of a %s is finished by its link, and its caller has the reply",
    async (gate) => {
      const { run, link } = await gateway.review(gate, state.runs[gate]);
      expect((await decideByLink(link ?? "", "approve")).status).toBe(303);
      const again = gate === "request" ? gateway.ask("alpha", "request-gate") : gateway.ask("beta", "response-gate");
      expect(runIn(await again.answer)).toBe(run);
      expect(await ofOperator(gateway, `/runs/${run}`)).toMatchObject({ state: "completed", model: "demo" });
    },
  );

  test("a request that was answered has the same answer again", async () => {
    expect(runIn(await gateway.ask("approved", "request-gate").answer)).toBe(state.runs.approved);
  });

  test("the record is whole, and goes on", async () => {
    const { text, events } = await gateway.record();
    expect((await verifyRecord(text.split("\n"))).findings).toEqual([]);
    for (const [how, run] of Object.entries(state.runs)) {
      const kinds = events.filter((event) => event.run === run).map(({ fact }) => fact.kind);
      expect([how, kinds[0], kinds.at(-1)]).toEqual([how, "received", "finished"]);
    }
  });
});
