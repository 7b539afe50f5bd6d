// What the platform hands the Worker: bindings and variables, as wrangler.toml and the secrets name them.

import type { ConfigObject } from "./objects/config.ts";
import type { KeyObject } from "./objects/key.ts";
import type { LedgerObject } from "./objects/ledger.ts";
import type { RunObject } from "./objects/run.ts";
import type { SessionObject } from "./objects/session.ts";

export interface Env {
  readonly CONFIG: KVNamespace;
  readonly SESSION: DurableObjectNamespace<SessionObject>;
  readonly KEY: DurableObjectNamespace<KeyObject>;
  readonly RUN: DurableObjectNamespace<RunObject>;
  readonly CONFIGURATION: DurableObjectNamespace<ConfigObject>;
  readonly LEDGER: DurableObjectNamespace<LedgerObject>;
  readonly FLOOD: RateLimit;

  readonly PUBLIC_URL?: string;
  readonly LINK_KEY?: string;
  readonly LINK_KEY_PREVIOUS?: string;
  readonly ADMIN_TOKEN?: string;
  readonly DEV_API_KEY?: string;
  readonly OUTBOX?: string;
  readonly RETENTION_HOURS?: string;
  readonly MODEL_TIMEOUT_SECONDS?: string;
  readonly HEARTBEAT_SECONDS?: string;
}
