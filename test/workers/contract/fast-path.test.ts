// What a request that the policy approves takes, counted: the times of docs/performance.md are of
// one machine, and these counts are not. A digest that is made twice shows here.

import { createHash, createHmac } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { fromUtf8, useHashing } from "../../../shared/encoding.ts";
import { ledgerShardOf, ledgerStub } from "../../../workers/stubs/stubs.ts";
import { answerOf, env, eventually, sample } from "../support/gateway.ts";
import { chatOf, postV1, runIn } from "../support/v1.ts";

/** The domains of digests and MACs, and `bytes` for those of bytes, in the order of their names. */
let hashed: string[] = [];
const domainOf = (text: string): string => text.split("\0")[0] ?? "";

beforeAll(() => {
  useHashing({
    sha256: (text) => (hashed.push(domainOf(text)), createHash("sha256").update(text).digest("base64url")),
    sha256Bytes: (bytes) => (hashed.push("bytes"), createHash("sha256").update(bytes).digest()),
    hmacSha256: (key, bytes) => {
      hashed.push(domainOf(fromUtf8(bytes.subarray(0, bytes.indexOf(0) + 1))));
      return createHmac("sha256", key).update(bytes).digest();
    },
  });
});

/** What a request takes until the record has it, once the same kind of request was answered. */
async function hashedBy(ask: () => Promise<string>): Promise<string[]> {
  const recorded = async (): Promise<void> => {
    const run = await ask();
    await eventually("its line", () => ledgerStub(env, ledgerShardOf(run)).line(run));
  };
  await recorded();
  hashed = [];
  await recorded();
  return hashed.toSorted();
}

test("of a sampling request: its id, what a repeat is known by, the request, the reply, and its entry in the log", async () => {
  let id = 0;
  const ask = async () => {
    const { result } = await answerOf(sample({ id: (id += 1) }));
    return result?._meta?.["countersign/run"]?.id ?? "";
  };
  expect(await hashedBy(ask)).toEqual([
    "bytes",
    "countersign/params/v2",
    "countersign/reply/v1",
    "countersign/request/v1",
    "countersign/run/v1",
  ]);
});

test("of a chat completion: the same, without what a repeat is known by", async () => {
  const ask = async () => runIn(await (await postV1("/chat/completions", chatOf("Hello."))).json());
  expect(await hashedBy(ask)).toEqual(["bytes", "countersign/reply/v1", "countersign/request/v1", "countersign/run/v1"]);
});
