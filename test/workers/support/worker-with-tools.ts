// The gateway's entry for tests, and the tools Worker in the same isolate, where a test scripts
// what `fetch` answers. The tests in test/outside/ have them as two Workers.

import type { Env } from "../../../workers/platform/env.ts";
import worker from "../../../workers/index.ts";
import { handled } from "./in-flight.ts";

export * from "../../../workers/index.ts";
export { default as ToolsWorker } from "../../../workers/tools/worker.ts";
export default {
  ...worker,
  fetch: handled((request: Request, env: Env, ctx: ExecutionContext) => worker.fetch(request, env, ctx)),
};
