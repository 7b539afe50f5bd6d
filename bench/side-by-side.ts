// CPU a request of several servers under load at the same time, and its ratios. What else the
// machine does, and what is in its caches, is the same for all of them at every moment.

import { open, isFailed } from "./load.ts";
import type { Contender } from "./rounds.ts";
import { median } from "./report.ts";

type Watching = {
  /** Of each contender. */
  readonly connections: number;
  readonly warmUpRequests: number;
  /** A window ends when each contender has answered so many. */
  readonly windowRequests: number;
  /** It ends after so many windows, or after this time. */
  readonly windows: number;
  readonly mostMs: number;
};

/** Of each contender, in the order of the windows: microseconds of CPU a request. */
export async function sideBySide(contenders: readonly Contender[], watching: Watching): Promise<number[][]> {
  const { connections, warmUpRequests, windowRequests, windows, mostMs } = watching;
  const loads = contenders.map((contender) => ({ contender, requests: 0 }));
  const end = performance.now() + mostMs;
  const over = new AbortController();
  const loaded = loads.flatMap((load) =>
    Array.from({ length: connections }, async (_, connection) => {
      const { name, served, request } = load.contender;
      const exchange = await open(served.port);
      for (let count = 0; !over.signal.aborted; count += 1) {
        const { text } = await exchange.send(request(connection, count));
        if (isFailed(text)) throw new Error(`${name} answered ${text.slice(0, 200)}`);
        load.requests += 1;
      }
      exchange.close();
    }),
  );
  const seen = () => loads.map(({ contender, requests }) => ({ requests, cpu: contender.served.cpuSeconds() }));
  const answered = async (more: number): Promise<boolean> => {
    const wanted = loads.map(({ requests }) => requests + more);
    while (loads.some(({ requests }, index) => requests < (wanted[index] ?? 0))) {
      if (performance.now() > end) return false;
      await pause(5);
    }
    return true;
  };
  const watched = (async () => {
    const micros: number[][] = contenders.map(() => []);
    await answered(warmUpRequests);
    for (let before = seen(), window = 0; window < windows && (await answered(windowRequests)); window += 1) {
      const after = seen();
      for (const [index, now] of after.entries()) {
        const then = before[index];
        if (then !== undefined) micros[index]?.push(((now.cpu - then.cpu) / (now.requests - then.requests)) * 1e6);
      }
      before = after;
    }
    return micros;
  })().finally(() => over.abort());
  await Promise.all([watched, ...loaded]);
  return watched;
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

export type Ratio = { readonly median: number; readonly low: number; readonly high: number };

/** The median of the windows' ratios, and between which it lies in 95 of 100 such runs. */
export function ratioOf(micros: readonly number[], base: readonly number[]): Ratio {
  const sorted = micros.map((each, window) => each / (base[window] ?? Number.NaN)).toSorted((a, b) => a - b);
  const aside = Math.floor(sorted.length / 2 - 0.98 * Math.sqrt(sorted.length));
  return { median: median(sorted), low: sorted.at(aside) ?? Number.NaN, high: sorted.at(-1 - aside) ?? Number.NaN };
}
