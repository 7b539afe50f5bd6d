// How long a decision takes to reach a caller that waits, with many callers on real sockets at once, and whether any is lost.
//
//   node scripts/bench/waiting.ts [how many, 1000 by default]

import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Gateway, freePort, pause, startGateway } from "../local-gateway.ts";
import { operatorOf } from "../operator.ts";
import { type PageForm, readForm } from "../page-form.ts";

export type Waited = {
  readonly callers: number;
  /** Callers without a result: a broken connection, or an error in its place. */
  readonly lost: number;
  /** The reasons, each once. */
  readonly reasons: readonly string[];
  /** From the press of the button to the caller's last byte, in milliseconds: first one decision at a time, then many at once. */
  readonly aloneP50: number;
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
  /** How long it took until every request had its review and its notice. */
  readonly openedMs: number;
  /** How long all decisions took. */
  readonly decidedMs: number;
  readonly decisionsPerSecond: number;
};

const adminToken = "bench-admin-token-0123456789";
export const benchVariables = { ADMIN_TOKEN: adminToken, LINK_KEY: "bench-link-key-0123456789", DEV_API_KEY: "bench-dev-key-0123456789" };

const wave = 200;
const decidedAlone = 10;
const decidedAtOnce = 32;

/** Opens `count` requests that wait for a person, decides them all, and measures what their callers see. */
export async function waitAndDecide(gateway: Gateway, count: number): Promise<Waited> {
  const key = await prepare(gateway.url);
  const operator = operatorOf(gateway.url, adminToken);
  const arrivedAt = new Map<string, number>();
  let lost = 0;
  const openingAt = performance.now();
  const callers: Promise<void>[] = [];
  const links = new Map<string, string>();
  const reasons = new Set<string>();
  const wait = async (index: number): Promise<void> => {
    try {
      arrivedAt.set(await ask(gateway.url, key, index), performance.now());
    } catch (error) {
      lost += 1;
      reasons.add(reasonOf(error));
    }
  };
  // In waves: the list of notices has the newest 500, and the backlog of a listening socket is not measured.
  while (callers.length < count) {
    const more = Math.min(wave, count - callers.length);
    for (let i = 0; i < more; i += 1) callers.push(wait(callers.length));
    await listLinks(operator, links, callers.length);
  }
  const openedMs = performance.now() - openingAt;

  // Opens each page as a reviewer's browser does, and waits the second that a decision must take at least.
  const forms = await inTurn([...links], 32, async ([run, link]) => ({ run, form: await openForm(link) }));
  await pause(1_100);
  const pressedAt = new Map<string, number>();
  const press = async ({ run, form }: (typeof forms)[number], index: number): Promise<void> => {
    pressedAt.set(run, performance.now());
    const answer = await fetch(form.action, {
      method: "POST",
      body: form.fields,
      redirect: "manual",
      headers: browserHeaders(index, gateway.url),
    });
    if (answer.status !== 303) throw new Error(`a decision was answered with ${answer.status}`);
    await answer.body?.cancel();
  };
  const alone = forms.slice(0, decidedAlone);
  for (const [index, each] of alone.entries()) {
    await press(each, index);
    await pause(50);
  }
  const deciding = performance.now();
  await inTurn(forms.slice(decidedAlone), decidedAtOnce, (each, index) => press(each, decidedAlone + index));
  const decidedMs = performance.now() - deciding;
  await Promise.race([Promise.all(callers), pause(60_000)]);
  lost += count - lost - arrivedAt.size;
  const timesOf = (runs: Iterable<string>): number[] =>
    Array.from(runs, (run) => (arrivedAt.get(run) ?? Number.NaN) - (pressedAt.get(run) ?? Number.NaN))
      .filter((time) => !Number.isNaN(time))
      .sort((a, b) => a - b);
  const shareOf = (times: readonly number[], share: number): number =>
    Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN);
  const together = timesOf(forms.slice(decidedAlone).map(({ run }) => run));
  return {
    callers: count,
    lost,
    reasons: [...reasons],
    aloneP50: shareOf(timesOf(alone.map(({ run }) => run)), 0.5),
    p50: shareOf(together, 0.5),
    p95: shareOf(together, 0.95),
    max: shareOf(together, 1),
    openedMs: Math.round(openedMs),
    decidedMs: Math.round(decidedMs),
    decisionsPerSecond: Math.round(((count - alone.length) / decidedMs) * 1000),
  };
}

async function prepare(url: string): Promise<string> {
  const admin = async (
    path: string,
    method: string,
    body: object,
    headers: Record<string, string> = {},
  ): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${url}/admin${path}`, {
      method,
      body: JSON.stringify(body),
      headers: { Authorization: `Bearer ${adminToken}`, "Content-Type": "application/json", ...headers },
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  };
  const policy = {
    rules: [],
    default: { request: "review", response: "allow", reviewers: ["everyone"], deadlineSeconds: 3600 },
    reviewers: { everyone: [{ name: "Bench" }] },
  };
  await admin("/policy", "PUT", policy, { "If-Match": "0" });
  const limits = { requestsPerMinute: 100_000, concurrent: 10_000, roundsPerOriginatingRequest: 10_000, bodyBytes: 1_000_000 };
  const made = await admin("/keys", "POST", { name: "bench", limits });
  return String(made["key"]);
}

/** Sends one request and waits for its answer. Returns the run's id. */
async function ask(url: string, key: string, index: number): Promise<string> {
  const response = await fetch(`${url}/sampling`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", Accept: "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: index,
      method: "sampling/createMessage",
      params: {
        messages: [{ role: "user", content: { type: "text", text: `Question ${index}` } }],
        maxTokens: 20,
        _meta: {
          "countersign/session": `bench-${index % 20}`,
          "countersign/originatingRequest": { id: index, method: "tools/call", name: "wait", server: "bench" },
        },
      },
    }),
  });
  const answer = (await response.json()) as { result?: { _meta: { "countersign/run": { id: string } } }; error?: { code: number } };
  if (answer.result === undefined) throw new Error(`an error came in place of a result: ${answer.error?.code}`);
  return answer.result._meta["countersign/run"].id;
}

/** Adds the link of each pending run, until there are enough. */
async function listLinks(operator: ReturnType<typeof operatorOf>, links: Map<string, string>, count: number): Promise<void> {
  for (const end = Date.now() + 120_000; links.size < count;) {
    if (Date.now() > end) throw new Error(`only ${links.size} of ${count} reviews were ever listed`);
    for (const { run, link } of await operator.waiting()) if (link !== null) links.set(run, link);
    if (links.size < count) await pause(100);
  }
}

async function openForm(link: string): Promise<PageForm> {
  const page = await fetch(link, { headers: browserHeaders(Math.floor(Math.random() * 60_000), link) });
  const form = readForm(await page.text(), link);
  if (form === null) throw new Error(`a review page was answered with ${page.status}`);
  form.fields.set("act", "approve:0");
  return form;
}

/** Reviewers come from many addresses: a flood from one is refused. */
const browserHeaders = (index: number, url: string): Record<string, string> => ({
  Origin: new URL(url).origin,
  "CF-Connecting-IP": `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`,
});

async function inTurn<T, R>(items: readonly T[], atOnce: number, work: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let index = next++; index < items.length; index = next++) results[index] = await work(items[index] as T, index);
    }),
  );
  return results;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : "";
  return `${error.message}${cause}`;
}

export const describeWaited = (waited: Waited): string =>
  [
    `${waited.callers} callers waited, ${waited.lost} were lost${waited.reasons.length > 0 ? `: ${waited.reasons.join("; ")}` : ""}`,
    `from the press of the button to the caller's last byte, one decision at a time: p50 ${waited.aloneP50} ms`,
    `the same with ${decidedAtOnce} decisions at once: p50 ${waited.p50} ms, p95 ${waited.p95} ms, max ${waited.max} ms`,
    `all were open after ${waited.openedMs} ms; all decisions took ${waited.decidedMs} ms (${waited.decisionsPerSecond} a second on ${availableParallelism()} CPUs)`,
  ].join("\n");

async function main(count: number): Promise<void> {
  const persistTo = mkdtempSync(join(tmpdir(), "countersign-waiting-"));
  const gateway = await startGateway({ port: await freePort(), persistTo, variables: benchVariables });
  try {
    console.log(describeWaited(await waitAndDecide(gateway, count)));
  } finally {
    await gateway.stop("kill");
    rmSync(persistTo, { recursive: true, force: true });
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main(Number(process.argv[2] ?? 1_000));
