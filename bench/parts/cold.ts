// What a start costs: the bundle that is uploaded, the start of the runtime with it, and the first request.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { get, isFailed, open, post } from "../load.ts";
import type { Settings } from "../options.ts";
import { type Findings, type Row, type Table, median, roundsWords } from "../report.ts";
import { type Rig, providerText } from "../rig.ts";
import { configured, message, sampling } from "../sampling-load.ts";
import type { Served } from "../workerd.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const wrangler = join(root, "node_modules/wrangler/bin/wrangler.js");
const chat = post("/chat", { model: "mock-1", max_tokens: 100, messages: [message] });

type Contender = {
  readonly name: string;
  readonly start: () => Promise<Served>;
  readonly request: () => Buffer;
  readonly started: Started[];
};
type Started = { readonly startMs: number; readonly loadMs: number; readonly firstMs: number; readonly laterMs: number };

export async function cold(rig: Rig, { rounds }: Settings): Promise<Findings> {
  const provider = await rig.provider();
  const url = `http://127.0.0.1:${provider.port}`;
  const objects = join(rig.memory(), "objects");
  // Its documents are written once.
  await (await rig.gateway(configured(url), { objects })).stop();
  const contenders: readonly Contender[] = [
    { name: "an empty Worker", start: () => rig.worker("empty"), request: () => chat, started: [] },
    { name: "Hono forwarder", start: () => rig.worker("forwarder", providerText(url)), request: () => chat, started: [] },
    { name: "Countersign `/sampling`", start: () => rig.gateway(configured(url), { objects }), request: () => sampling(0), started: [] },
  ];
  for (let round = 1; round <= rounds; round += 1) {
    for (const { name, start, request, started } of contenders) {
      const one = await startOnce(start, request);
      started.push(one);
      console.error(`round ${round}/${rounds}, ${name}: ${one.startMs.toFixed(0)} ms to start, first request ${one.firstMs.toFixed(1)} ms`);
    }
  }
  return {
    measured: `${roundsWords(rounds)}: median (least to greatest).`,
    tables: [bundleTable(rig), startTable(contenders)],
    notes: [
      "Start of the isolate: the first answer, to a request for a page that does not exist. The first request finds no document in KV and no object in memory: it reads both.",
    ],
  };
}

async function startOnce(start: () => Promise<Served>, request: () => Buffer): Promise<Started> {
  const served = await start();
  const exchange = await open(served.port);
  const time = async (payload: Buffer, mayFail = false): Promise<number> => {
    const before = performance.now();
    const { text } = await exchange.send(payload);
    if (!mayFail && isFailed(text)) throw new Error(`a request was answered with ${text.slice(0, 300)}`);
    return performance.now() - before;
  };
  // workerd runs a Worker's modules for its first request: this one asks for a page that no Worker has.
  const loadMs = await time(get("/nowhere", {}), true);
  const firstMs = await time(request());
  const later: number[] = [];
  for (let count = 0; count < 50; count += 1) later.push(await time(request()));
  exchange.close();
  await served.stop();
  return { startMs: served.startMs, loadMs, firstMs, laterMs: median(later) };
}

const startTable = (contenders: readonly Contender[]): Table => ({
  title: "Start and first request",
  labels: [""],
  columns: [
    { key: "startMs", title: "start of workerd ms", digits: 0 },
    { key: "loadMs", title: "start of the isolate ms", digits: 1 },
    { key: "firstMs", title: "first request ms", digits: 1 },
    { key: "laterMs", title: "the next 50: p50 ms", digits: 2 },
  ],
  rows: contenders.map(({ name, started }) => ({
    labels: [name],
    values: {
      startMs: started.map((each) => each.startMs),
      loadMs: started.map((each) => each.loadMs),
      firstMs: started.map((each) => each.firstMs),
      laterMs: started.map((each) => each.laterMs),
    },
  })),
});

/** As `wrangler deploy` uploads it. */
function bundleTable(rig: Rig): Table {
  const row = (name: string, config: string): Row => {
    const folder = join(rig.folder, `upload-${config.replaceAll("/", "-")}`);
    mkdirSync(folder);
    execFileSync(process.execPath, [wrangler, "deploy", "--dry-run", "--outdir", folder, "--config", config], {
      cwd: root,
      stdio: "pipe",
      env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_WRITE_LOGS: "false" },
    });
    const files = readdirSync(folder)
      .filter((name) => /(\.js|wasm)$/.test(name))
      .map((name) => readFileSync(join(folder, name)));
    const kib = (sizes: readonly number[]): number[] => [sizes.reduce((sum, size) => sum + size, 0) / 1_024];
    return {
      labels: [name],
      values: { uploaded: kib(files.map(({ length }) => length)), gzipped: kib(files.map((file) => gzipSync(file).length)) },
    };
  };
  return {
    title: "Bundle",
    labels: ["Worker"],
    columns: [
      { key: "uploaded", title: "KiB", digits: 0 },
      { key: "gzipped", title: "KiB after gzip", digits: 0 },
    ],
    rows: [
      row("gateway", "wrangler.toml"),
      row("images", "workers/images/wrangler.toml"),
      row("tools", "workers/tools/wrangler.toml"),
      row("pages", "workers/ui/wrangler.toml"),
    ],
  };
}
