// What a test finds of the test before it: nothing, though that one's bindings are still there.

import { beforeEach, expect, test } from "vitest";
import { configStub, ledgerStub } from "../../../workers/stubs/stubs.ts";
import { env } from "../support/gateway.ts";
import { idsOf } from "../support/scope.ts";

/** The bindings of each test, as what it left under way has them. */
const bindings: (typeof env)[] = [];
beforeEach(() => void bindings.push(env));

const ledger = (): string => ledgerStub(env, 0).id.toString();
let ledgerBefore = "";
const ledgers = async (): Promise<string[]> => (await idsOf(env.LEDGER)).map(String);

test("a test's objects are in its lists", async () => {
  await env.CONFIG.put("left", "behind");
  await ledgerStub(env, 0).metrics();
  ledgerBefore = ledger();
  expect(await ledgers()).toContain(ledgerBefore);
});

test("the next one has neither its objects nor its keys, and they are not made again", async () => {
  const [before] = bindings as [typeof env];
  expect(await env.CONFIG.get("left")).toBeNull();
  await expect(ledgerStub(before, 0).metrics()).rejects.toThrow("The test has ended.");
  await expect(configStub(before).latest()).rejects.toThrow("The test has ended.");
  await ledgerStub(env, 0).metrics();
  expect(ledger()).not.toBe(ledgerBefore);
  expect(await ledgers()).toContain(ledger());
  expect(await ledgers()).not.toContain(ledgerBefore);
});
