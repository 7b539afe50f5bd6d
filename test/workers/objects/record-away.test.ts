// A shard's log while R2 or its witness is away: nothing waits, nothing is lost, the doctor says
// it, and what was held up follows.

import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, expect, test, vi } from "vitest";
import { fromBase64url } from "../../../shared/encoding.ts";
import { jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import { checkLog } from "../../../shared/record/log/check-log.ts";
import { openCheckpoint } from "../../../shared/record/log/checkpoint.ts";
import { readCosignerKey } from "../../../shared/record/log/cosignature.ts";
import { isProven } from "../../support/log-proof.ts";
import { readVerifierKey, verifierKey } from "../../../shared/record/log/signed-note.ts";
import { numberEvents } from "../../../shared/record/record.ts";
import { newRunBytes, runIdOf } from "../../../shared/sealed-id.ts";
import { recordChecks } from "../../../workers/doctor/check-record.ts";
import type { LogBucket } from "../../../workers/objects/ledger/record-log.ts";
import type { LedgerObject } from "../../../workers/objects/ledger/ledger-object.ts";
import { settingsOf } from "../../../workers/platform/settings.ts";
import type { LedgerEntry } from "../../../workers/stubs/ledger-calls.ts";
import { env, eventually } from "../support/gateway.ts";
import { TestWitness } from "../../support/witness.ts";
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

async function bucketFile(path: string, n = 3): Promise<Uint8Array | null> {
  const object = (await env.RECORD_BUCKET?.get(`record/${n}/${path}`)) ?? null;
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

const witnessUrl = "https://witness.example.com/countersign/";

/** A shard with a witness. `ask`: what becomes of a body that is sent to it. */
async function witnessed(n: number, key = "") {
  const ledger = shard(n);
  const witness = await TestWitness.make();
  const changed = { ...env, RECORD_WITNESS_URL: witnessUrl, RECORD_WITNESS_KEY: key || (await witness.key()) };
  await inside(ledger, (object) => void Object.assign(object, { env: changed }));
  const asked: string[] = [];
  const ask = { of: (body: string): Promise<Response> => witness.add(body) };
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    expect([request.method, request.url]).toEqual(["POST", `${witnessUrl}add-checkpoint`]);
    const body = await request.text();
    asked.push(body.slice(0, body.indexOf("\n")));
    return ask.of(body);
  });
  /** So many entries more at this minute, and the alarm. */
  const grow = async (count: number, minute: number): Promise<string[]> => {
    await at(ledger, begun + minute * minuteMs);
    const runs = count === 0 ? [] : await append(ledger, count, begun + minute * minuteMs);
    await ring(ledger);
    return runs;
  };
  const said = async (): Promise<string | undefined> =>
    (await recordChecks(changed, begun)).map(({ says }) => says.key).find((each) => /itness|Unkept/.test(each));
  await at(ledger, begun);
  witness.logs.push((await ledger.checkpoint())?.key ?? "");
  return { ledger, witness, asked, ask, grow, said };
}

test("a witness cosigns each log's checkpoint once, at most every five minutes, again where it fails, and nothing waits for it", async () => {
  const { ledger, witness, asked, ask, grow, said } = await witnessed(5);
  await grow(200, 0);
  // There is no full bundle yet.
  expect(asked).toEqual([]);
  const [run = ""] = await grow(100, 0);
  expect([asked, await said()]).toEqual([["old 0"], "recordWitnessed"]);
  await grow(300, 1);
  expect(asked).toEqual(["old 0"]);
  ask.of = async () => new Response(null, { status: 503 });
  await grow(0, 5);
  expect([asked.splice(0), await said()]).toEqual([["old 0", "old 256"], "recordUnwitnessed"]);
  // R2 has it meanwhile: a witness that is away holds up nothing else.
  expect(await ledger.logStatus()).toMatchObject({ stored: 512, unpublished: 0 });
  await grow(0, 9);
  expect(asked).toEqual([]);
  // It cosigns, but its answer is lost: it says how much it has seen.
  ask.of = async (body) => {
    await witness.add(body);
    throw new Error("cut off");
  };
  await grow(300, 10);
  ask.of = (body) => witness.add(body);
  await grow(400, 15);
  expect([asked, await said()]).toEqual([["old 256", "old 256", "old 768"], "recordWitnessed"]);
  await grow(0, 60);
  expect(asked).toHaveLength(3);
  // Whoever has both keys finds the cosigned checkpoint over HTTP, in R2, and in proofs.
  const [key, cosigner] = [await keyOf(ledger), readCosignerKey(await witness.key())];
  const note = (await ledger.cosigned())?.note ?? "";
  expect((await openCheckpoint(note, key, verify))?.size).toBe(1_280);
  const inBucket = (path: string): Promise<Uint8Array | null> => bucketFile(path, 5);
  expect(new TextDecoder().decode((await inBucket("cosigned")) ?? undefined)).toBe(note);
  const check = await checkLog({ read: inBucket, key, verify, witness: cosigner });
  expect(check).toMatchObject({ entries: 1_280, findings: [], cosigned: { size: 1_280, at: witness.now } });
  const proof = await ledger.proof(run);
  expect(proof?.proof).toContain(note);
  expect(
    await isProven(
      { index: proof?.index ?? 0, leaf: fromBase64url(proof?.leaf ?? "") ?? new Uint8Array() },
      proof?.proof ?? "",
      proof?.key ?? "",
      verify,
    ),
  ).toBe(true);
});

test("the doctor says why a witness does not cosign, and without its key that nothing of it is kept", async () => {
  const { ledger, witness, ask, grow, said } = await witnessed(6);
  const [key = ""] = witness.logs.splice(0);
  await grow(300, 0);
  expect(await said()).toBe("witnessUnknownLog");
  const stranger = await keyOf(shard(7));
  witness.logs.push(verifierKey({ ...(await keyOf(ledger)), publicKey: stranger.publicKey.map((byte) => byte ^ 1) }));
  await grow(0, 5);
  expect([await said(), (await ledger.logStatus()).witnessProblem]).toEqual(["witnessUnknownLog", "otherKey"]);
  witness.logs.push(key);
  const other = { size: 256, root: btoa("x".repeat(32)) };
  witness.seen.set(key.split("+")[0] ?? "", other);
  await grow(0, 10);
  expect(await said()).toBe("witnessNotContinued");
  await grow(300, 15);
  expect(await said()).toBe("witnessNotContinued");
  witness.seen.set(key.split("+")[0] ?? "", { ...other, size: 1_024 });
  await grow(0, 20);
  expect(await said()).toBe("witnessAhead");
  witness.seen.clear();
  // What somebody else signed, and lines that would become a part of the text.
  const imposter = await TestWitness.make();
  imposter.logs.push(key);
  ask.of = (body) => imposter.add(body);
  await grow(0, 25);
  expect(await said()).toBe("witnessUncosigned");
  imposter.seen.clear();
  ask.of = async (body) => new Response(`\n${await (await witness.add(body)).text()}`);
  await grow(0, 30);
  expect([await said(), await ledger.cosigned()]).toEqual(["witnessUncosigned", null]);
  ask.of = (body) => witness.add(body);
  await inside(ledger, (object) => void Object.assign(object, { env: { ...env, RECORD_WITNESS_URL: witnessUrl } }));
  await grow(0, 35);
  expect((await ledger.logStatus()).witnessProblem).toBeNull();
  expect((await recordChecks({ ...env, RECORD_WITNESS_URL: witnessUrl }, begun)).map(({ says }) => says.key)).toContain("recordUnkept");
  expect(await ledger.cosigned()).toBeNull();
});
