// What a request that the policy approves takes, counted: the times of docs/performance.md are of
// one machine, and these counts are not. A digest that is made twice shows here.

import { createHash, createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { useHashing, utf8ToBytes } from "../../../shared/encoding.ts";
import { ledgerShardOf, ledgerStub } from "../../../workers/stubs/stubs.ts";
import { answerOf, env, eventually, sample } from "../support/gateway.ts";

/** The domains of digests and MACs. */
let hashed: string[] = [];
const note = (bytes: Uint8Array): void => void hashed.push(new TextDecoder().decode(bytes.subarray(0, Math.max(0, bytes.indexOf(0)))));

const hashing: Parameters<typeof useHashing>[0] = {
  sha256: (text) => createHash("sha256").update(text).digest("base64url"),
  sha256Bytes: (bytes) => createHash("sha256").update(bytes).digest(),
  hmacSha256: (key, bytes) => createHmac("sha256", key).update(bytes).digest(),
};

beforeAll(() => {
  useHashing({
    ...hashing,
    sha256: (text) => (note(utf8ToBytes(text)), hashing.sha256(text)),
    hmacSha256: (key, bytes) => (note(bytes), hashing.hmacSha256(key, bytes)),
  });
});

afterAll(() => useHashing(hashing));

/** What is hashed of a request and its reply. */
const ofRequests = new Set(["countersign/params/v2", "countersign/reply/v1", "countersign/request/v1", "countersign/run/v1"]);
/** Where the isolate has no share of the key's limits, its object is asked for an identical run. */
const asksItsKey = ["countersign/content/v1", "countersign/identical/v3"];

/** What a request takes until the record has it, once another of its kind was answered. */
async function hashedBy(ask: () => Promise<string>): Promise<string[]> {
  const recorded = async (): Promise<void> => {
    const run = await ask();
    await eventually("its line", () => ledgerStub(env, ledgerShardOf(run)).line(run));
  };
  await recorded();
  hashed = [];
  await recorded();
  for (const domain of asksItsKey) expect([domain, hashed.filter((each) => each === domain).length <= 1]).toEqual([domain, true]);
  return hashed.filter((domain) => ofRequests.has(domain)).toSorted();
}

test("of a sampling request: its id, what a repeat is known by, the request and the reply, each once", async () => {
  let id = 0;
  const ask = async () => {
    const { result } = await answerOf(sample({ id: (id += 1) }));
    return result?._meta?.["countersign/run"]?.id ?? "";
  };
  expect(await hashedBy(ask)).toEqual(["countersign/params/v2", "countersign/reply/v1", "countersign/request/v1", "countersign/run/v1"]);
});
