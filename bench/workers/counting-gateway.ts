// The gateway, bundled with its work counted (bench/counted-work.ts): at /bench/work it tells the
// sum, and how often it took the stub of an object; it serves everything else as ever. What the
// runtime does for it is added with a weight, so that the sum resembles CPU.

import gateway from "../../workers/index.ts";
import type { Env } from "../../workers/platform/env.ts";

export * from "../../workers/index.ts";

declare const workSoFar: () => number;
declare const addWork: (nodes: number) => void;

/** In nodes, of which a microsecond of CPU has about 500, by a profile of both endpoints. */
const weights = { fetch: 20_000, timer: 3_000, character: 1 };

/** Has each call of this member counted. The last that is given to `count` is what it returned. */
function watch<T extends object, K extends keyof T>(of: T, name: K, count: (...given: unknown[]) => void): void {
  const original: unknown = of[name];
  if (typeof original !== "function") throw new Error(`there is no ${String(name)} to watch`);
  Reflect.set(of, name, function (this: unknown, ...given: unknown[]): unknown {
    const result: unknown = Reflect.apply(original, this, given);
    count(...given, result);
    return result;
  });
}

const addText = (text: unknown): void => addWork(typeof text === "string" ? text.length * weights.character : 0);
watch(globalThis, "fetch", () => addWork(weights.fetch));
watch(globalThis, "setTimeout", () => addWork(weights.timer));
watch(JSON, "parse", addText);
watch(JSON, "stringify", (...given) => addText(given.at(-1)));

let objectStubs = 0;
let isWatched = false;
function watchObjects({ SESSION }: Env): void {
  if (isWatched) return;
  isWatched = true;
  const namespace = Object.getPrototypeOf(SESSION) as typeof SESSION; // as every binding of objects
  for (const name of ["get", "getByName"] as const) watch(namespace, name, () => (objectStubs += 1));
}

export default {
  ...gateway,
  fetch(request: Request, env: Env, ctx: ExecutionContext): Response | Promise<Response> {
    if (new URL(request.url).pathname === "/bench/work") return Response.json({ nodes: workSoFar(), objectStubs });
    watchObjects(env);
    return gateway.fetch(request, env, ctx);
  },
};
