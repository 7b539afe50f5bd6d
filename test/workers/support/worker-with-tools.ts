// The gateway's entry for tests, with each test's own objects (scope.ts), and the tools Worker in
// the same isolate, where a test scripts what `fetch` answers. The tests in test/outside/ have them
// as two Workers.

import type { Env } from "../../../workers/platform/env.ts";
import worker, * as gateway from "../../../workers/index.ts";
import { handled } from "./in-flight.ts";
import { scoped, scopedEnv } from "./scope.ts";

export { default as ToolsWorker } from "../../../workers/tools/worker.ts";

export const AlertObject = scoped(gateway.AlertObject);
export const BridgeObject = scoped(gateway.BridgeObject);
export const BudgetObject = scoped(gateway.BudgetObject);
export const CacheObject = scoped(gateway.CacheObject);
export const CallObject = scoped(gateway.CallObject);
export const ConfigObject = scoped(gateway.ConfigObject);
export const ConversationObject = scoped(gateway.ConversationObject);
export const DigestObject = scoped(gateway.DigestObject);
export const InboxObject = scoped(gateway.InboxObject);
export const KeyObject = scoped(gateway.KeyObject);
export const ConcurrencyQueueObject = scoped(gateway.ConcurrencyQueueObject);
export const LedgerObject = scoped(gateway.LedgerObject);
export const RunObject = scoped(gateway.RunObject);
export const OAuthObject = scoped(gateway.OAuthObject);
export const StopObject = scoped(gateway.StopObject);
export const SessionObject = scoped(gateway.SessionObject);
export const ToolsObject = scoped(gateway.ToolsObject);

export default {
  ...worker,
  fetch: handled((request: Request, _: Env, ctx: ExecutionContext) => worker.fetch(request, scopedEnv(), ctx)),
};
