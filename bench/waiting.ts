// Opens requests that wait for a person, on real sockets, decides them through the review pages,
// and measures what their callers see.

import { pause } from "../scripts/local-gateway.ts";
import { operatorOf } from "../scripts/operator.ts";
import { type PageForm, readForm } from "../scripts/page-form.ts";
import { adminToken } from "./gateway-on-workerd.ts";
import { inTurn } from "./in-turn.ts";
import { quantile } from "./report.ts";

export type Waited = {
  readonly callers: number;
  /** Callers without a result: a broken connection, or an error in its place. */
  readonly lost: number;
  /** The reasons, each once. */
  readonly reasons: readonly string[];
  /**
   * From the press of the button to the caller's last byte, in milliseconds: one decision at a
   * time, then many at once.
   */
  readonly aloneP50: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** How long it took until every request had its review and its notice. */
  readonly openedMs: number;
  readonly decisionsPerSecond: number;
};

export type WaitingLoad = {
  readonly count: number;
  /** So many are decided one at a time, the others `decidedAtOnce` at a time. */
  readonly alone: number;
  /**
   * So many callers hold a connection; the others asked for a task, and fetch its result once it is
   * decided. All hold one where absent.
   */
  readonly held?: number;
  /** Called while all wait. */
  readonly whileWaiting?: () => Promise<void>;
  /**
   * Called before each wave, each page and each decision: a gateway at a limit of its machine is
   * given time.
   */
  readonly pace?: () => Promise<void>;
};

export const benchVariables = { ADMIN_TOKEN: adminToken, LINK_KEY: "bench-link-key-0123456789", DEV_API_KEY: "bench-dev-key-0123456789" };

const wave = 200;
const decidedAtOnce = 32;
const arrivalMs = 60_000;

/**
 * Opens requests, decides all of them, and measures the deliveries. The gateway has no policy yet.
 */
export async function waitAndDecide(
  gateway: { readonly url: string },
  { count, alone, held = count, whileWaiting, pace = async () => {} }: WaitingLoad,
): Promise<Waited> {
  const key = await prepare(gateway.url);
  const operator = operatorOf(gateway.url, adminToken);
  const links = new Map<string, string>();
  const decided = new Map<string, () => void>();
  const untilDecided = (run: string): Promise<void> => new Promise((resolve) => decided.set(run, resolve));
  const asking = { url: gateway.url, key };
  const callers = waitingCallers((index) => (index < held ? ask(asking, index) : askForTask(asking, index, untilDecided)));
  const openingAt = performance.now();
  // In waves: the list of notices has the newest 500, and the backlog of a listening socket is not
  // measured.
  while (callers.opened() < count) {
    await pace();
    callers.open(Math.min(wave, count - callers.opened()));
    await listLinks(operator, links, callers.opened());
  }
  const openedMs = performance.now() - openingAt;
  await whileWaiting?.();
  // Opens each page as a reviewer's browser does, and waits the second that a decision must take at
  // least.
  const forms = await inTurn([...links], decidedAtOnce, async ([run, link]) => {
    await pace();
    return { run, form: await openForm(link) };
  });
  await pause(1_100);
  const press = async ({ run, form }: (typeof forms)[number], index: number): Promise<void> => {
    await pace();
    await callers.press(run, () =>
      fetch(form.action, { method: "POST", body: form.fields, redirect: "manual", headers: browserHeaders(index, gateway.url) }),
    );
    decided.get(run)?.();
  };
  return { ...(await decideAll(callers, forms, { alone, press, nameOf: ({ run }) => run })), openedMs };
}

export type Callers = {
  readonly open: (more: number) => void;
  readonly opened: () => number;
  /** Sends a decision, and notes when. */
  readonly press: (name: string, send: () => Promise<Response>) => Promise<void>;
  readonly ended: () => Promise<unknown>;
  readonly lost: () => number;
  readonly reasons: ReadonlySet<string>;
  /** From the press to the arrival, for those of these names that arrived. */
  readonly timesOf: (names: readonly string[]) => number[];
};

/**
 * Callers that wait. `wait` sends the request with this number and returns the name under which it
 * is decided, once it is answered.
 */
export function waitingCallers(wait: (index: number) => Promise<string>): Callers {
  const arrivedAt = new Map<string, number>();
  const pressedAt = new Map<string, number>();
  const waiting: Promise<void>[] = [];
  const reasons = new Set<string>();
  const waitFor = async (index: number): Promise<void> => {
    try {
      arrivedAt.set(await wait(index), performance.now());
    } catch (error) {
      reasons.add(reasonOf(error));
    }
  };
  return {
    open: (more) => {
      for (let i = 0; i < more; i += 1) waiting.push(waitFor(waiting.length));
    },
    opened: () => waiting.length,
    press: async (name, send) => {
      pressedAt.set(name, performance.now());
      const answer = await send();
      if (answer.status !== 303) throw new Error(`a decision was answered with ${answer.status}`);
      await answer.body?.cancel();
    },
    ended: () => Promise.race([Promise.all(waiting), pause(arrivalMs)]),
    lost: () => waiting.length - arrivedAt.size,
    reasons,
    timesOf: (names) =>
      names.map((name) => (arrivedAt.get(name) ?? Number.NaN) - (pressedAt.get(name) ?? Number.NaN)).filter((time) => !Number.isNaN(time)),
  };
}

/** Decides some one at a time and the others at once, and waits for the callers. */
export async function decideAll<T>(
  callers: Callers,
  items: readonly T[],
  how: {
    readonly alone: number;
    readonly press: (item: T, index: number) => Promise<void>;
    readonly nameOf: (item: T) => string;
  },
): Promise<Omit<Waited, "openedMs">> {
  const alone = items.slice(0, how.alone);
  const together = items.slice(how.alone);
  for (const [index, each] of alone.entries()) {
    await how.press(each, index);
    await pause(50);
  }
  const decidingAt = performance.now();
  await inTurn(together, decidedAtOnce, (each, index) => how.press(each, alone.length + index));
  const decidingMs = performance.now() - decidingAt;
  await callers.ended();
  const times = callers.timesOf(together.map(how.nameOf));
  return {
    callers: callers.opened(),
    lost: callers.lost(),
    reasons: [...callers.reasons],
    aloneP50: quantile(callers.timesOf(alone.map(how.nameOf)), 0.5),
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    max: quantile(times, 1),
    decisionsPerSecond: (together.length / decidingMs) * 1000,
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
  const limits = {
    requestsPerMinute: 100_000,
    concurrent: 10_000,
    heldStreams: 10_000,
    roundsPerOriginatingRequest: 10_000,
    bodyBytes: 1_000_000,
  };
  const made = await admin("/keys", "POST", { name: "bench", limits });
  return String(made["key"]);
}

type Asking = { readonly url: string; readonly key: string };

/** Sends one request and waits for its answer. Returns the run's id. */
async function ask(asking: Asking, index: number): Promise<string> {
  return runOf(await send(asking, requestOf(index)));
}

/**
 * Sends one request that is answered at once, and asks for its result once it is decided. Returns
 * the run's id.
 */
async function askForTask(asking: Asking, index: number, untilDecided: (run: string) => Promise<void>): Promise<string> {
  const response = await send(asking, requestOf(index), { Prefer: "respond-async" });
  await response.body?.cancel();
  const run = decodeURIComponent((response.headers.get("Location") ?? "").replace("/runs/", ""));
  if (run === "") throw new Error(`a request for a task was answered with ${response.status}`);
  await untilDecided(run);
  return runOf(await send(asking, { jsonrpc: "2.0", id: index, method: "tasks/result", params: { taskId: run } }));
}

const send = ({ url, key }: Asking, message: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${url}/sampling`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", Accept: "application/json", ...headers },
    body: JSON.stringify(message),
  });

const requestOf = (index: number): object => ({
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
});

async function runOf(response: Response): Promise<string> {
  const answer = (await response.json()) as { result?: { _meta: { "countersign/run": { id: string } } }; error?: { code: number } };
  if (answer.result === undefined) throw new Error(`an error came in place of a result: ${answer.error?.code}`);
  return answer.result._meta["countersign/run"].id;
}

/** Adds the link of each pending run, until there are enough. */
async function listLinks(operator: ReturnType<typeof operatorOf>, links: Map<string, string>, count: number): Promise<void> {
  for (const end = Date.now() + 300_000; links.size < count;) {
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

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : "";
  return `${error.message}${cause}`;
}
