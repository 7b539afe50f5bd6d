// The requests that a test has sent and not seen the end of. What is left of them when the test
// ends is given up, as by a client that goes away, and is waited for: a handler that outlives the
// reset of every object finds its run gone and opens it again, in the next test.

type Fetch<E> = (request: Request, env: E, ctx: ExecutionContext) => Response | Promise<Response>;

/** Handlers that have not answered. */
let atWork = 0;
/** Which test's handlers are counted. */
let counted = {};
const clients = new Set<AbortController>();

/** Counts a handler from its request to its answer. */
export function handled<E>(fetch: Fetch<E>): Fetch<E> {
  return async (request, env, ctx) => {
    const mine = counted;
    atWork += 1;
    try {
      return await fetch(request, env, ctx);
    } finally {
      if (mine === counted) atWork -= 1;
    }
  };
}

/** The answer to a request that is given up where the test ends first: then nobody is told. */
export async function whileTestLasts(request: Request, send: (request: Request) => Promise<Response>): Promise<Response> {
  const client = new AbortController();
  clients.add(client);
  try {
    const answer = await send(new Request(request, { signal: AbortSignal.any([request.signal, client.signal]) }));
    // All of a body whose length is known is here; one that is still written has an open handler.
    if (answer.body === null || answer.headers.has("Content-Length")) clients.delete(client);
    return answer;
  } catch (error) {
    if (client.signal.aborted) return new Promise(() => {});
    throw error;
  }
}

/** Every client of the test goes away. */
export function giveUp(): void {
  for (const client of clients) client.abort(new DOMException("The test has ended.", "AbortError"));
  clients.clear();
}

/** Waits until no handler is at work, for so many milliseconds at most; whether none is. */
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
