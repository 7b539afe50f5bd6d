// A shard's log while R2 or its witness is away: nothing waits, nothing is lost, the doctor says
// it, and what was held up follows.

import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, expect, test, vi } from "vitest";
import { jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import { checkLog } from "../../../shared/record/log/check-log.ts";
import { openCheckpoint } from "../../../shared/record/log/checkpoint.ts";
import { readVerifierKey } from "../../../shared/record/log/signed-note.ts";
import { numberEvents } from "../../../shared/record/record.ts";
import { newRunBytes, runIdOf } from "../../../shared/sealed-id.ts";
import { recordChecks } from "../../../workers/doctor/check-record.ts";
import type { LogBucket } from "../../../workers/objects/ledger/record-log.ts";
import type { LedgerObject } from "../../../workers/objects/ledger/ledger-object.ts";
import { settingsOf } from "../../../workers/platform/settings.ts";
import type { LedgerEntry } from "../../../workers/stubs/ledger-calls.ts";
import { env, eventually } from "../support/gateway.ts";
import { asObject, pause, ringNextAlarm } from "./inside.ts";

afterEach(() => vi.restoreAllMocks());

const begun = Date.now();
const minuteMs = 60_000;
const shard = (n: number): DurableObjectStub<LedgerObject> => asObject<LedgerObject>(env.LEDGER.getByName(`shard-${n}`));
type Shard = ReturnType<typeof shard>;

const inside = (ledger: Shard, change: (object: LedgerObject) => void): Promise<void> =>
  runInDurableObject(ledger, (object: LedgerObject) => change(object));
const at = (ledger: Shard, now: number): Promise<void> => inside(ledger, (object) => void (object.now = () => now));
const ring = (ledger: Shard): Promise<boolean> => ringNextAlarm(ledger as DurableObjectStub);

/** A request that is answered at once. */
function answered(now: number): LedgerEntry {
  const run = runIdOf(settingsOf(env).keys, newRunBytes(now, crypto.getRandomValues(new Uint8Array(16))));
  const summary = {
    run,
    key: "key_a",
    server: "notes",
    name: "summarize",
    createdAt: now,
    endedAt: now + 5,
    state: "completed",
    cause: null,
    model: "first",
    inputTokens: 1,
    outputTokens: 1,
    costUsd: 0.5,
    reviews: [],
  } as const;
  return { events: numberEvents(run, null, now, [{ kind: "finished", outcome: "completed" }]), summary };
}

async function append(ledger: Shard, count: number, now: number): Promise<string[]> {
  const entries = Array.from({ length: count }, () => answered(now));
  await ledger.append(jsonOf(entries));
  return entries.map(({ summary }) => summary?.run ?? "");
}

const doctor = async (now: number): Promise<string[]> => (await recordChecks(env, now)).map(({ says }) => says.key);

const verify = async (publicKey: Uint8Array, signature: Uint8Array, text: Uint8Array): Promise<boolean> =>
  crypto.subtle.verify("Ed25519", await crypto.subtle.importKey("raw", publicKey, "Ed25519", false, ["verify"]), signature, text);

async function keyOf(ledger: Shard) {
  const key = readVerifierKey((await ledger.checkpoint())?.key ?? "");
  if (key === undefined) throw new Error("no key");
  return key;
}

async function bucketFile(path: string): Promise<Uint8Array | null> {
  const object = (await env.RECORD_BUCKET?.get(`record/3/${path}`)) ?? null;
  if (object === null) return null;
  const body = object.httpMetadata?.contentEncoding === "gzip" ? object.body.pipeThrough(new DecompressionStream("gzip")) : object.body;
  return new Uint8Array(await new Response(body).arrayBuffer());
}

test("R2 is away for an hour under load: nothing waits, nothing is lost, the doctor says it, and the log catches up", async () => {
  const ledger = shard(3);
  const runs = await append(ledger, 300, begun);
  await ring(ledger);
  expect(await ledger.logStatus()).toMatchObject({ stored: 256, unpublished: 0 });
  const refused = vi.fn<() => void>();
  await inside(ledger, (object) => {
    const away = async (): Promise<never> => {
      refused();
      throw new Error("R2 is away");
    };
    object.bucket = { get: away, delete: away, put: away } as unknown as LogBucket;
  });
  for (let minute = 1; minute <= 60; minute += 1) {
    const now = begun + minute * minuteMs;
    await at(ledger, now);
    runs.push(...(await append(ledger, 70, now)));
    if (minute % 5 === 0) await ring(ledger);
    if (minute === 4) expect(await doctor(now)).toEqual(["recordStored"]);
  }
  expect(refused.mock.calls.length).toBeGreaterThan(10);
  // One attempt that gets no answer at all: what comes meanwhile is stored all the same.
  const now = begun + 61 * minuteMs;
  const r2 = { isAsked: false, isSilent: true };
  await inside(ledger, (object) => {
    const silent = async (): Promise<never> => {
      r2.isAsked = true;
      while (r2.isSilent) await pause(5);
      throw new Error("R2 is away");
    };
    object.bucket = { get: silent, delete: silent, put: silent } as unknown as LogBucket;
  });
  const attempt = ring(ledger);
  await eventually("an attempt", async () => r2.isAsked);
  runs.push(...(await append(ledger, 20, now)));
  expect(await doctor(now)).toEqual(["recordBehind"]);
  r2.isSilent = false;
  await attempt;
  const total = 300 + 60 * 70 + 20;
  expect(await ledger.logStatus()).toMatchObject({ size: total, stored: 256, unpublished: 16 });
  // The object is gone in between, and R2 comes back.
  await evictDurableObject(ledger);
  await at(ledger, now);
  for (let rung = 0; rung < 10 && (await ledger.logStatus()).unpublished > 0; rung += 1) await ring(ledger);
  expect(await ledger.logStatus()).toMatchObject({ size: total, stored: 17 * 256, unpublished: 0 });
  expect(await doctor(now)).toEqual(["recordStored"]);
  const check = await checkLog({ read: bucketFile, key: await keyOf(ledger), verify });
  expect(check).toMatchObject({ entries: 17 * 256, findings: [] });
  const listed = readJsonOf(await ledger.runs({ limit: 10_000, mostRead: 100_000 })).lines.map(({ run }) => run);
  expect(listed.toSorted()).toEqual(runs.toSorted());
});

test("a witness is sent each log's checkpoint once, at most every five minutes, again where it fails, and nothing waits for it", async () => {
  const ledger = shard(5);
  const withWitness = { ...env, RECORD_WITNESS_URL: "https://witness.example.com/countersign" };
  await inside(ledger, (object) => void Object.assign(object, { env: withWitness }));
  const received: { readonly url: string; readonly type: string | null; readonly text: string }[] = [];
  let status = 200;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    received.push({ url: request.url, type: request.headers.get("Content-Type"), text: await request.text() });
    return new Response("a cosignature, perhaps", { status });
  });
  const said = async (): Promise<string[]> => (await recordChecks(withWitness, begun)).map(({ says }) => says.key);
  await at(ledger, begun);
  await append(ledger, 200, begun);
  await ring(ledger);
  // There is no full bundle yet.
  expect(received).toEqual([]);
  await append(ledger, 100, begun);
  await ring(ledger);
  const key = await keyOf(ledger);
  const sizes = async (): Promise<(number | undefined)[]> =>
    Promise.all(received.map(async ({ text }) => (await openCheckpoint(text, key, verify))?.size));
  expect(received[0]).toMatchObject({ url: "https://witness.example.com/countersign", type: "text/plain; charset=utf-8" });
  expect(await sizes()).toEqual([256]);
  await append(ledger, 300, begun + minuteMs);
  await at(ledger, begun + minuteMs);
  await ring(ledger);
  expect(await sizes()).toEqual([256]);
  expect(await said()).toContain("recordWitnessed");
  status = 503;
  await at(ledger, begun + 5 * minuteMs);
  await ring(ledger);
  expect(await sizes()).toEqual([256, 512]);
  expect(await said()).toContain("recordUnwitnessed");
  // R2 has it meanwhile: a witness that is away holds up nothing else.
  expect(await ledger.logStatus()).toMatchObject({ stored: 512, unpublished: 0 });
  await at(ledger, begun + 9 * minuteMs);
  await ring(ledger);
  expect(await sizes()).toEqual([256, 512]);
  status = 201;
  await at(ledger, begun + 10 * minuteMs);
  await ring(ledger);
  expect(await sizes()).toEqual([256, 512, 512]);
  expect(await said()).toContain("recordWitnessed");
  await at(ledger, begun + 60 * minuteMs);
  await ring(ledger);
  expect(received).toHaveLength(3);
});
