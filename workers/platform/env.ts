// The Worker's bindings and variables, by the names in wrangler.toml and of the secrets.

import type { ChannelVariable } from "../../shared/notice-channels.ts";
import type ImagesWorker from "../images/worker.ts";
import type OAuthWorker from "../oauth/worker.ts";
import type ToolsWorker from "../tools/worker.ts";
import type PagesWorker from "../ui/worker.ts";
import type { AlertCalls } from "../stubs/alert-calls.ts";
import type { BridgeCalls } from "../stubs/bridge-calls.ts";
import type { BudgetCalls } from "../stubs/budget-calls.ts";
import type { CacheCalls } from "../stubs/cache-calls.ts";
import type { CallCalls } from "../stubs/call-calls.ts";
import type { ConfigCalls } from "../stubs/config-calls.ts";
import type { ConversationCalls } from "../stubs/conversation-calls.ts";
import type { DigestCalls } from "../stubs/digest-calls.ts";
import type { InboxCalls } from "../stubs/inbox-calls.ts";
import type { KeyCalls } from "../stubs/key-calls.ts";
import type { OAuthCalls } from "../stubs/oauth-calls.ts";
import type { QueueCalls } from "../stubs/queue-calls.ts";
import type { LedgerCalls } from "../stubs/ledger-calls.ts";
import type { RunCalls } from "../stubs/run-calls.ts";
import type { StopCalls } from "../stubs/stop-calls.ts";
import type { SessionCalls } from "../stubs/session-calls.ts";
import type { ToolsCalls } from "../stubs/tools-calls.ts";

/**
 * With each channel's variables (shared/notice-channels.ts). Those with a policy's name in them are
 * looked up by name.
 */
export interface Env extends Readonly<Partial<Record<ChannelVariable, string>>> {
  readonly CONFIG: KVNamespace;
  readonly SESSION: DurableObjectNamespace<SessionCalls>;
  readonly KEY: DurableObjectNamespace<KeyCalls>;
  readonly RUN: DurableObjectNamespace<RunCalls>;
  readonly CONFIGURATION: DurableObjectNamespace<ConfigCalls>;
  readonly LEDGER: DurableObjectNamespace<LedgerCalls>;
  readonly CONCURRENCY_QUEUE: DurableObjectNamespace<QueueCalls>;
  readonly CACHE: DurableObjectNamespace<CacheCalls>;
  readonly DIGEST: DurableObjectNamespace<DigestCalls>;
  readonly CONVERSATION: DurableObjectNamespace<ConversationCalls>;
  readonly INBOX: DurableObjectNamespace<InboxCalls>;
  readonly CALL: DurableObjectNamespace<CallCalls>;
  readonly BRIDGE: DurableObjectNamespace<BridgeCalls>;
  readonly BUDGET: DurableObjectNamespace<BudgetCalls>;
  readonly STOP: DurableObjectNamespace<StopCalls>;
  readonly TOOL_DEFINITIONS: DurableObjectNamespace<ToolsCalls>;
  readonly OAUTH_STORE: DurableObjectNamespace<OAuthCalls>;
  readonly ALERTS: DurableObjectNamespace<AlertCalls>;
  readonly FLOOD: RateLimit;
  /** The images Worker: workers/images/. */
  readonly IMAGES: Service<ImagesWorker>;
  /** The tools Worker: workers/tools/. */
  readonly TOOLS: Service<ToolsWorker>;
  /** The pages Worker: workers/ui/. */
  readonly PAGES: Service<PagesWorker>;
  /** The OAuth Worker: workers/oauth/. */
  readonly OAUTH: Service<OAuthWorker>;

  readonly PUBLIC_URL?: string;
  readonly LINK_KEY?: string;
  readonly LINK_KEY_PREVIOUS?: string;
  readonly CONTENT_KEY?: string;
  readonly CONTENT_KEY_PREVIOUS?: string;
  readonly ADMIN_TOKEN?: string;
  readonly DEV_API_KEY?: string;
  readonly OUTBOX?: string;
  readonly RETENTION_HOURS?: string;
  readonly MODEL_TIMEOUT_SECONDS?: string;
  readonly HEARTBEAT_SECONDS?: string;
  readonly RELAY_HOLD_SECONDS?: string;
  readonly LINK_HOURS?: string;
  readonly INBOX_SESSION_HOURS?: string;
  /** May read `GET /metrics`, and nothing else. */
  readonly METRICS_TOKEN?: string;
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  readonly OTEL_EXPORTER_OTLP_HEADERS?: string;
  readonly OTEL_SERVICE_NAME?: string;
  readonly OTEL_TRACES_SAMPLER_ARG?: string;
  /** A dataset of Workers Analytics Engine, which gets a data point for each request. */
  readonly METRICS?: AnalyticsEngineDataset;
  readonly ACCESS_TEAM_DOMAIN?: string;
  readonly ACCESS_AUD?: string;
  readonly OPERATORS?: string;

  /** Where the record's log goes; without it the log keeps to its objects. */
  readonly RECORD_BUCKET?: R2Bucket;
  /** `on`: anybody may read the log's files, to verify it. */
  readonly RECORD_PUBLIC?: string;
  /** `before`: a request's line is in the record before its answer leaves. */
  readonly RECORD?: string;
  readonly RECORD_DAYS?: string;
  /** The prefix of a C2SP `tlog-witness`, which is sent the log's checkpoints, and its key. */
  readonly RECORD_WITNESS_URL?: string;
  readonly RECORD_WITNESS_KEY?: string;

  /** Cloudflare's own email. */
  readonly EMAIL?: SendEmail;
}
