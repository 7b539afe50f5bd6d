// The Worker: its routes, and the Durable Object classes that wrangler.toml names.

import { app } from "./app.ts";
import { scheduled } from "./sweep.ts";

export { AlertObject } from "./objects/alert-object.ts";
export { BridgeObject } from "./objects/bridge/bridge-object.ts";
export { BudgetObject } from "./objects/budget-object.ts";
export { CacheObject } from "./objects/cache-object.ts";
export { CallObject } from "./objects/call/call-object.ts";
export { ConfigObject } from "./objects/config-object.ts";
export { ConversationObject } from "./objects/conversation-object.ts";
export { DigestObject } from "./objects/digest-object.ts";
export { InboxObject } from "./objects/inbox/inbox-object.ts";
export { KeyObject } from "./objects/key/key-object.ts";
export { ConcurrencyQueueObject } from "./objects/concurrency-queue-object.ts";
export { LedgerObject } from "./objects/ledger/ledger-object.ts";
export { RunObject } from "./objects/run/run-object.ts";
export { OAuthObject } from "./objects/oauth-object.ts";
export { StopObject } from "./objects/stop-object.ts";
export { SessionObject } from "./objects/session/session-object.ts";
export { ToolsObject } from "./objects/tools-object.ts";

export default { fetch: app.fetch, scheduled };
