// The Worker: its routes, and the Durable Object classes that wrangler.toml names.

import { app } from "./app.ts";
import { scheduled } from "./sweep.ts";

export { CacheObject } from "./objects/cache.ts";
export { ConfigObject } from "./objects/config.ts";
export { ConversationObject } from "./objects/conversation.ts";
export { DigestObject } from "./objects/digest.ts";
export { KeyObject } from "./objects/key/key.ts";
export { LaneObject } from "./objects/lane.ts";
export { LedgerObject } from "./objects/ledger.ts";
export { RunObject } from "./objects/run/run.ts";
export { SessionObject } from "./objects/session/session.ts";

export default { fetch: app.fetch, scheduled };
