// How the time of a request grows: with the models of the table, its own size, the requests behind
// it in its session, and the ledger.

import { join } from "node:path";
import { fillLedger } from "../ledger-lines.ts";
import { type Load, get, isFailed, measure, open } from "../load.ts";
import { inTurn } from "../in-turn.ts";
import { adminToken } from "../gateway-on-workerd.ts";
import type { Settings } from "../options.ts";
import { type Findings, type Picture, type Row, median } from "../report.ts";
import type { Rig } from "../rig.ts";
import { configured, sampling, samplingOf } from "../sampling-load.ts";
import { type Chart, type Line, type Point, chartSvg } from "../svg.ts";

type Series = { readonly file: string; readonly chart: Chart };

export async function growth(rig: Rig, settings: Settings): Promise<Findings> {
  const provider = await rig.provider();
  const url = `http://127.0.0.1:${provider.port}`;
  const series = [
    await models(rig, url, settings),
    await sizes(rig, url, settings),
    await session(rig, url, settings),
    await ledger(rig, url, settings),
  ];
  const rows = series.flatMap(({ chart }) => chart.lines.flatMap((line) => rowsOf(chart, line)));
  const pictures = series.map(({ file, chart }): Picture => ({ file, title: chart.title, svg: chartSvg(chart) }));
  return {
    tables: [
      {
        title: "Growth",
        labels: ["what grows", "what is measured", "to"],
        columns: [
          { key: "ms", title: "p50 ms", digits: 2 },
          { key: "exponent", title: "growth since the first", digits: 2 },
        ],
        rows,
      },
    ],
    notes: [
      "Growth since the first: 0 is constant, 1 is in proportion, more is worse than linear. A routing table has 500 models at most.",
    ],
    pictures,
  };
}

function rowsOf(chart: Chart, { name, points }: Line): Row[] {
  const [first] = points;
  return points.map(({ x, values }, index) => ({
    labels: [chart.x, name, x.toLocaleString("en-US")],
    values: {
      ms: values,
      exponent: index === 0 || first === undefined ? [] : [Math.log(median(values) / median(first.values)) / Math.log(x / first.x)],
    },
  }));
}

type Measurable = { readonly port: number; readonly request: Load["request"] };

/** The median time of one request at a time, in each round. All are measured in turn. */
async function timesOf(contenders: readonly Measurable[], { rounds, seconds, warmUpSeconds }: Settings): Promise<number[][]> {
  const times: number[][] = contenders.map(() => []);
  for (const each of contenders) await measure({ ...each, connections: 1, seconds: warmUpSeconds });
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, each] of contenders.entries()) {
      const { p50Ms, failed } = await measure({ ...each, connections: 1, seconds });
      if (failed > 0) throw new Error(`${failed} requests failed`);
      times[index]?.push(p50Ms);
    }
  }
  return times;
}

/** Each point has a share of a measurement's time: there are many. */
const shorter = (settings: Settings): Settings => ({
  ...settings,
  seconds: settings.seconds / 2,
  warmUpSeconds: settings.warmUpSeconds / 3,
  rounds: Math.min(settings.rounds, 5),
});

async function models(rig: Rig, url: string, settings: Settings): Promise<Series> {
  const counts = settings.short ? [10, 30] : [10, 30, 100, 300, 500];
  const contenders: Measurable[] = [];
  for (const count of counts) {
    const base = configured(url);
    const routing = base.documents["routing"] as { models: readonly object[] };
    const [model = {}] = routing.models;
    const others = Array.from({ length: count - 1 }, (_, index) => ({ ...model, id: `other-${index}`, name: `other-${index}` }));
    const documents = { ...base.documents, routing: { ...routing, models: [...others, model] } };
    const { port } = await rig.gateway({ ...base, documents });
    contenders.push({ port, request: sampling });
  }
  const times = await timesOf(contenders, shorter(settings));
  return seriesOf("growth-models.svg", "Models in the routing table", "models", [
    { name: "a sampling request", points: counts.map((x, index) => ({ x, values: times[index] ?? [] })) },
  ]);
}

async function sizes(rig: Rig, url: string, settings: Settings): Promise<Series> {
  const kibibytes = settings.short ? [1, 16] : [1, 4, 16, 64, 256, 1_024, 4_000];
  const { port } = await rig.gateway(configured(url));
  const contenders = kibibytes.map((size): Measurable => {
    const content = "A line of a text that is sixty-three characters long, as it is.\n".repeat(size * 16);
    return { port, request: (connection) => samplingOf({ connection, content }) };
  });
  const times = await timesOf(contenders, shorter(settings));
  return seriesOf("growth-size.svg", "Size of the request", "bytes", [
    { name: "a sampling request", points: kibibytes.map((size, index) => ({ x: size * 1_024, values: times[index] ?? [] })) },
  ]);
}

/**
 * Each point has a session of its own, and few enough requests are measured that the session stays
 * about as long as the point says.
 */
async function session(rig: Rig, url: string, settings: Settings): Promise<Series> {
  const counts = settings.short ? [10, 100] : [10, 100, 1_000, 10_000, 100_000];
  const { port } = await rig.gateway(configured(url));
  await send(port, { connection: 0, count: 400 });
  const points: Point[] = [];
  for (const [index, count] of counts.entries()) {
    const connection = index + 1;
    await send(port, { connection, count });
    console.error(`${count} requests behind it`);
    const measured = Math.min(Math.max(count / 5, 5), 300);
    const values: number[] = [];
    for (let round = 0; round < settings.rounds; round += 1) values.push(await timeOf(port, { connection, count: measured }));
    points.push({ x: count, values });
  }
  return seriesOf("growth-session.svg", "Requests behind it in its session", "requests in the session", [
    { name: "a sampling request", points },
  ]);
}

type OfSession = { readonly connection: number; readonly count: number };

/** The median time of so many requests of a session, one after another. */
async function timeOf(port: number, { connection, count }: OfSession): Promise<number> {
  const exchange = await open(port);
  const times: number[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    const request = sampling(connection);
    const before = performance.now();
    const { text } = await exchange.send(request);
    times.push(performance.now() - before);
    if (isFailed(text)) throw new Error(`a request was answered with ${text.slice(0, 300)}`);
  }
  exchange.close();
  return median(times);
}

/** Requests of one session, as fast as eight connections send them. */
async function send(port: number, { connection, count }: OfSession): Promise<void> {
  const exchanges = await Promise.all(Array.from({ length: 8 }, () => open(port)));
  await inTurn(exchanges, exchanges.length, async (exchange, index) => {
    for (let sent = index; sent < count; sent += exchanges.length) {
      const { text } = await exchange.send(sampling(connection));
      if (isFailed(text)) throw new Error(`a request was answered with ${text.slice(0, 300)}`);
    }
    exchange.close();
  });
}

async function ledger(rig: Rig, url: string, settings: Settings): Promise<Series> {
  const counts = settings.short ? [1_000, 3_000] : [1_000, 10_000, 100_000, 1_000_000];
  const objects = join(rig.memory(), "objects");
  const list = get("/admin/runs?limit=50", { Authorization: `Bearer ${adminToken}` });
  const points: { x: number; request: number[]; list: number[] }[] = [];
  for (const count of [0, ...counts]) {
    if (count > 0) fillLedger(objects, count);
    const gateway = await rig.gateway(configured(url), { objects });
    if (count === 0) {
      // Every shard needs a line of the gateway's own. The record is written after the responses.
      await send(gateway.port, { connection: 0, count: 400 });
      await new Promise((resolve) => setTimeout(resolve, 3_000));
    } else {
      console.error(`${count} lines in the ledger`);
      const times = await timesOf(
        [
          { port: gateway.port, request: sampling },
          { port: gateway.port, request: () => list },
        ],
        shorter(settings),
      );
      points.push({ x: count, request: times[0] ?? [], list: times[1] ?? [] });
    }
    await gateway.stop();
  }
  return seriesOf("growth-ledger.svg", "Lines in the ledger", "lines", [
    { name: "a sampling request", points: points.map(({ x, request }) => ({ x, values: request })) },
    { name: "the newest 50 lines", points: points.map((each) => ({ x: each.x, values: each.list })) },
  ]);
}

const seriesOf = (file: string, title: string, x: string, lines: readonly Line[]): Series => ({
  file,
  chart: { title, x, y: "p50 ms", lines },
});
