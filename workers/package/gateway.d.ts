// The types of `@countersign/worker`, by hand: what is not declared here is not promised. A test
// holds them to the source. `DurableObjectNamespace` and the other names of Workers come from
// `@cloudflare/workers-types` or `wrangler types`.

import { DurableObject } from "cloudflare:workers";

/** The gateway's bindings and variables, by the names in wrangler.toml and of the secrets. */
export interface Env {
  readonly CONFIG: KVNamespace;
  readonly SESSION: DurableObjectNamespace;
  readonly KEY: DurableObjectNamespace;
  readonly RUN: DurableObjectNamespace;
  readonly CONFIGURATION: DurableObjectNamespace;
  readonly LEDGER: DurableObjectNamespace;
  readonly CONCURRENCY_QUEUE: DurableObjectNamespace;
  readonly CACHE: DurableObjectNamespace;
  readonly DIGEST: DurableObjectNamespace;
  readonly CONVERSATION: DurableObjectNamespace;
  readonly INBOX: DurableObjectNamespace;
  readonly CALL: DurableObjectNamespace;
  readonly BRIDGE: DurableObjectNamespace;
  readonly BUDGET: DurableObjectNamespace;
  readonly STOP: DurableObjectNamespace;
  readonly TOOL_DEFINITIONS: DurableObjectNamespace;
  readonly OAUTH_STORE: DurableObjectNamespace;
  readonly ALERTS: DurableObjectNamespace;
  readonly FLOOD: RateLimit;
  readonly IMAGES: Fetcher;
  readonly TOOLS: Fetcher;
  readonly PAGES: Fetcher;
  readonly OAUTH: Fetcher;

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
  readonly METRICS_TOKEN?: string;
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  readonly OTEL_EXPORTER_OTLP_HEADERS?: string;
  readonly OTEL_SERVICE_NAME?: string;
  readonly OTEL_TRACES_SAMPLER_ARG?: string;
  readonly METRICS?: AnalyticsEngineDataset;
  readonly ACCESS_TEAM_DOMAIN?: string;
  readonly ACCESS_AUD?: string;
  readonly OPERATORS?: string;
  readonly RECORD_BUCKET?: R2Bucket;
  readonly RECORD_PUBLIC?: string;
  readonly RECORD?: string;
  readonly RECORD_DAYS?: string;
  readonly RECORD_WITNESS_URL?: string;
  readonly RECORD_WITNESS_KEY?: string;

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
  readonly TELEGRAM_BOT_TOKEN?: string;
  readonly TELEGRAM_API_URL?: string;
}

/** The gateway's routes and its cron trigger. */
declare const gateway: {
  /** Answers every request, those of unknown paths with 404. Never throws. */
  fetch(request: Request, env: Env, ctx: ExecutionContext): Response | Promise<Response>;
  /** What the cron trigger of wrangler.toml runs. */
  scheduled(controller: ScheduledController, env: Env, ctx: ExecutionContext): void | Promise<void>;
};
export default gateway;

// The Durable Object classes that wrangler.toml names. What may be asked of them is the gateway's
// own affair.
export declare class BridgeObject extends DurableObject<Env> {}
export declare class BudgetObject extends DurableObject<Env> {}
export declare class CacheObject extends DurableObject<Env> {}
export declare class CallObject extends DurableObject<Env> {}
export declare class ConcurrencyQueueObject extends DurableObject<Env> {}
export declare class ConfigObject extends DurableObject<Env> {}
export declare class ConversationObject extends DurableObject<Env> {}
export declare class AlertObject extends DurableObject<Env> {}
export declare class DigestObject extends DurableObject<Env> {}
export declare class InboxObject extends DurableObject<Env> {}
export declare class KeyObject extends DurableObject<Env> {}
export declare class LedgerObject extends DurableObject<Env> {}
export declare class OAuthObject extends DurableObject<Env> {}
export declare class RunObject extends DurableObject<Env> {}
export declare class SessionObject extends DurableObject<Env> {}
export declare class StopObject extends DurableObject<Env> {}
export declare class ToolsObject extends DurableObject<Env> {}
