// What the platform hands the Worker: bindings and variables, as wrangler.toml and the secrets name them.

import type ImagesWorker from "./images/worker.ts";
import type { CacheObject } from "./objects/cache.ts";
import type { ConfigObject } from "./objects/config.ts";
import type { ConversationObject } from "./objects/conversation.ts";
import type { DigestObject } from "./objects/digest.ts";
import type { KeyObject } from "./objects/key.ts";
import type { LaneObject } from "./objects/lane.ts";
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
  readonly LANE: DurableObjectNamespace<LaneObject>;
  readonly CACHE: DurableObjectNamespace<CacheObject>;
  readonly DIGEST: DurableObjectNamespace<DigestObject>;
  readonly CONVERSATION: DurableObjectNamespace<ConversationObject>;
  readonly FLOOD: RateLimit;
  /** The images Worker: workers/images/. */
  readonly IMAGES: Service<ImagesWorker>;

  readonly PUBLIC_URL?: string;
  readonly LINK_KEY?: string;
  readonly LINK_KEY_PREVIOUS?: string;
  readonly ADMIN_TOKEN?: string;
  readonly DEV_API_KEY?: string;
  readonly OUTBOX?: string;
  readonly RETENTION_HOURS?: string;
  readonly MODEL_TIMEOUT_SECONDS?: string;
  readonly HEARTBEAT_SECONDS?: string;
  readonly LINK_HOURS?: string;

  readonly EMAIL?: SendEmail;
  readonly EMAIL_FROM?: string;
  readonly RESEND_API_KEY?: string;
  readonly RESEND_BASE_URL?: string;

  readonly SLACK_BOT_TOKEN?: string;
  readonly SLACK_SIGNING_SECRET?: string;
  readonly SLACK_APP_ID?: string;
  readonly SLACK_TEAM_ID?: string;
  readonly SLACK_WEBHOOK_URL?: string;
  readonly SLACK_API_URL?: string;
  // WEBHOOK_<NAME>_URL and WEBHOOK_<NAME>_SECRET, for each webhook that the policy names, are looked up by name.
}
