// The requests that a test has sent and not seen the end of. What is left of them when the test
// ends is given up, as by a client that goes away, and is waited for: a handler that outlives the
// reset of every object finds its run gone and opens it again, in the next test.

import { AsyncLocalStorage } from "node:async_hooks";

type Fetch<E> = (request: Request, env: E, ctx: ExecutionContext) => Response | Promise<Response>;

type Test = { isOver: boolean };

const current = new AsyncLocalStorage<Test>();
const isOver = (): boolean => current.getStore()?.isOver === true;
/** Nobody is there any more to be told. */
const never = <T>(): Promise<T> => new Promise(() => {});

/** Handlers that have not answered, and responses that are still written. */
let atWork = 0;
/** Whose work is counted. */
let counted = {};
const clients = new Set<AbortController>();

/** What the error of a request that was given up says: `vitest.config.ts` knows it by that. */
const given = "The test has ended.";

/**
 * Why what a test left under way gets no object any more. Nobody hears it: the runner writes no
 * line of an error that says what the platform says of a caller who has left.
 */
export const testIsOver = (): Error => new Error(`${given} disconnected: operation canceled`);

/** What a test's own clients do after its end reaches the gateway no more. */
export const asTest = (run: () => Promise<void>): Promise<void> => current.run({ isOver: false }, run);

/** Counts a handler from its request to the end of its response. */
export function handled<E>(fetch: Fetch<E>): Fetch<E> {
  return async (request, env, ctx) => {
    const mine = counted;
    atWork += 1;
    let isDone = false;
    const done = (): void => {
      if (!isDone && mine === counted) atWork -= 1;
      isDone = true;
    };
    try {
      const answer = await fetch(request, env, ctx);
      if (isKeptAlive(answer)) return watched(answer, done);
      done();
      return answer;
    } catch (error) {
      done();
      throw error;
    }
  };
}

const isKeptAlive = ({ body, headers }: Response): boolean =>
  body !== null &&
  (headers.get("Content-Type")?.startsWith("text/event-stream") === true ||
    headers.get("Cache-Control")?.includes("no-transform") === true);

/** The same response; `done` is called when it has ended, and when its caller has left. */
function watched(answer: Response, done: () => void): Response {
  const reader = (answer.body ?? new Blob().stream()).getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value } = await reader.read().catch((error: unknown) => {
          done();
          throw error;
        });
        if (value !== undefined) return controller.enqueue(value);
        done();
        controller.close();
      },
      cancel(reason) {
        done();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, answer);
}

/** The answer to a request that is given up where the test ends first. */
export async function whileTestLasts(request: Request, send: (request: Request) => Promise<Response>): Promise<Response> {
  if (isOver()) return never();
  const client = new AbortController();
  clients.add(client);
  try {
    const answer = await send(new Request(request, { signal: AbortSignal.any([request.signal, client.signal]) }));
    if (!isKeptAlive(answer)) clients.delete(client);
    return isOver() ? await never() : answer;
  } catch (error) {
    if (client.signal.aborted) return never();
    throw error;
  }
}

/** Every client of the test goes away. `unread`: what they may not have read to its end. */
export function giveUp(unread: readonly Response[]): void {
  const test = current.getStore();
  if (test !== undefined) test.isOver = true;
  for (const client of clients) client.abort(new DOMException(given, "AbortError"));
  clients.clear();
  for (const { body } of unread) if (body !== null && !body.locked) void body.cancel().catch(() => {});
}

/** Waits until nothing is at work, for so many milliseconds at most; whether nothing is. */
export async function noneAtWork(mostMs: number): Promise<boolean> {
  const isAtWork = (): boolean => atWork > 0;
  for (let waited = 0; isAtWork() && waited < mostMs; waited += 5) await new Promise((resolve) => setTimeout(resolve, 5));
  return !isAtWork();
}

/** What is still at work hangs for good, and is counted no longer. */
export function forgetWork(): void {
  counted = {};
  atWork = 0;
}
