// The files of the record's logs over HTTP: who reads them, and that they are what a verifier with
// the public key needs.

import { expect, test } from "vitest";
import { verifyRecord } from "../../../scripts/verify-record.ts";
import { keyOf, logReport, overHttp, verifyLogs } from "../../../scripts/verify-log.ts";
import { admin, adminToken, devKey, env, errorOf, eventually, gateway, gatewayWith, operator, sample } from "../support/gateway.ts";
import { configStub, ledgerShardOf } from "../../../workers/stubs/stubs.ts";
import { recordLines } from "../support/record.ts";

const url = "http://localhost:8787";
const asked = (headers: Record<string, string>): typeof fetch =>
  (async (address: string) => gateway(String(address).slice(url.length), { key: null, headers })) as typeof fetch;
const asOperator = asked({ Authorization: `Bearer ${adminToken}` });

const keyOfHeader = (answer: Response) => keyOf(answer.headers.get("Countersign-Record-Key") ?? "");

test("whoever has the key verifies the record of what was asked, and of what operators did", async () => {
  for (let id = 0; id < 5; id += 1) await sample({ id });
  await errorOf(sample({ server: "refused" }));
  await configStub(env).record({ kind: "doctorAsked", by: operator });
  await eventually("six requests", async () => {
    const { runs } = (await (await admin("/runs")).json()) as { runs: unknown[] };
    return runs.length === 6 ? runs : null;
  });
  const checkpoint = await gateway("/record/0/checkpoint", { key: adminToken });
  const key = keyOfHeader(checkpoint);
  if (key === undefined) throw new Error("no key");
  expect(key.name).toBe("localhost:8787/record/0");
  const reports = await verifyLogs(overHttp(url, adminToken, asOperator), key);
  expect(logReport(reports)).toMatchObject({ exitCode: 0 });
  expect(reports).toHaveLength(16);
  // Each request is an entry; what operators did is one each.
  const acts = (await recordLines()).filter(({ run }) => run.startsWith("operators/")).length;
  const entries = reports.reduce((sum, { check }) => sum + check.entries, 0);
  expect([entries, entries + 1]).toContain(6 + acts);
  const exported = (await (await admin("/record")).text()).split("\n");
  const against = async (each: (text: string, shard: number) => void): Promise<void> =>
    void (await verifyLogs(overHttp(url, adminToken, asOperator), key, { each }));
  expect(await verifyRecord(exported, against)).toMatchObject({ findings: [], unreadable: [] });
  const changed = exported.map((line) => line.replace('"kind":"doctorAsked"', '"kind":"doctorAskee"'));
  expect((await verifyRecord(changed, against)).findings).toMatchObject([{ kind: "changed" }]);
});

test("they are for operators alone, where RECORD_PUBLIC is not on", async () => {
  await configStub(env).record({ kind: "doctorAsked", by: operator });
  const shard = ledgerShardOf(`operators/${new Date().toISOString().slice(0, 7)}`);
  for (const path of [`/record/${shard}/checkpoint`, `/record/${shard}/tile/0/000.p/1`]) {
    for (const key of [null, devKey]) {
      expect((await gateway(path, { key })).status).toBe(401);
      expect((await gatewayWith({ RECORD_PUBLIC: "off" }, path, { key })).status).toBe(401);
      expect((await gatewayWith({ RECORD_PUBLIC: "on" }, path, { key })).status).toBe(200);
    }
    expect((await gateway(path, { key: adminToken })).status).toBe(200);
  }
});

test("there is nothing at any other path", async () => {
  for (const path of [
    "/record/16/checkpoint",
    "/record/00/checkpoint",
    "/record/-1/checkpoint",
    "/record/0/tile/0/999",
    "/record/0/tile/entries/../0/000",
    "/record/0/tile/0/000.p/256",
    "/record/x/tile/0/000",
  ])
    expect([path, (await gateway(path, { key: adminToken })).status]).toEqual([path, 404]);
  expect((await gateway("/record/0/checkpoint", { key: adminToken, method: "POST" })).status).toBe(405);
});

test("a checkpoint is never stored on the way, and a tile may be", async () => {
  await configStub(env).record({ kind: "doctorAsked", by: operator });
  const shard = ledgerShardOf(`operators/${new Date().toISOString().slice(0, 7)}`);
  const headersOf = async (path: string): Promise<(string | null)[]> => {
    const { headers } = await gateway(`/record/${shard}/${path}`, { key: adminToken });
    return ["Cache-Control", "X-Content-Type-Options", "Content-Type"].map((name) => headers.get(name));
  };
  expect(await headersOf("checkpoint")).toEqual(["no-store", "nosniff", "text/plain; charset=utf-8"]);
  expect(await headersOf("tile/entries/000.p/1")).toEqual(["private, max-age=86400, immutable", "nosniff", "application/octet-stream"]);
});
