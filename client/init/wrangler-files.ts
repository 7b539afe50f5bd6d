// The wrangler configuration of a gateway that comes from the package `@countersign/worker`, and of
// the Workers beside it. A test holds it to the configuration of this repository.

const compatibilityDate = "2026-11-02";

/** Each Durable Object binding, with its class. */
const objects = [
  ["SESSION", "SessionObject"],
  ["KEY", "KeyObject"],
  ["RUN", "RunObject"],
  ["CONFIGURATION", "ConfigObject"],
  ["LEDGER", "LedgerObject"],
  ["CONCURRENCY_QUEUE", "ConcurrencyQueueObject"],
  ["CACHE", "CacheObject"],
  ["DIGEST", "DigestObject"],
  ["CONVERSATION", "ConversationObject"],
  ["INBOX", "InboxObject"],
  ["CALL", "CallObject"],
  ["BRIDGE", "BridgeObject"],
  ["BUDGET", "BudgetObject"],
  ["STOP", "StopObject"],
  ["TOOL_DEFINITIONS", "ToolsObject"],
  ["OAUTH_STORE", "OAuthObject"],
  ["ALERTS", "AlertObject"],
] as const;

/**
 * The Workers beside the gateway: `folder` is the folder under `workers/`, here and in this
 * repository.
 */
export const besides = [
  { folder: "images", entry: "images", service: "images", binding: "IMAGES", what: "decodes images and encodes them again" },
  { folder: "tools", entry: "tools", service: "tools", binding: "TOOLS", what: "calls the tools of MCP servers that are functions" },
  { folder: "ui", entry: "pages", service: "pages", binding: "PAGES", what: "makes the pages, emails and notices that people read" },
  { folder: "oauth", entry: "oauth", service: "oauth", binding: "OAUTH", what: "is the OAuth authorization server in front of the relay" },
] as const;

type Beside = (typeof besides)[number];

export type GatewayNames = {
  /** The gateway's Worker; those beside it have names that begin with it. */
  readonly name: string;
  /** The address that reviewers reach; empty where it is not known yet. */
  readonly publicUrl: string;
};

/**
 * The text of `wrangler.toml`. Its KV namespace has no id: wrangler's first deployment makes the
 * namespace.
 */
export const gatewayToml = ({ name, publicUrl }: GatewayNames): string => `name = ${quoted(name)}
main = "src/index.ts"
compatibility_date = "${compatibilityDate}"
compatibility_flags = ["nodejs_compat", "enable_request_signal"]
workers_dev = true
minify = true
# The log names errors by their own \`name\`: nothing reads the name of a function or a class.
keep_names = false
upload_source_maps = true
preview_urls = false

# The address that reviewers reach. Links in review notices are built from it alone; \`npm run dev\` sets the local one.
[vars]
PUBLIC_URL = ${quoted(publicUrl)}

# The first deployment makes the namespace \`${name}-config\` and binds it; later ones keep it. To use another one, write its id here.
[[kv_namespaces]]
binding = "CONFIG"

# The record's log goes there. The first deployment makes the bucket. Delete these lines where the account has no R2: the log then keeps to its objects.
[[r2_buckets]]
binding = "RECORD_BUCKET"

${objects.map(([, className]) => `[exports.${className}]\ntype = "durable-object"\nstorage = "sqlite"\n`).join("\n")}
${objects.map(([binding, className]) => `[[durable_objects.bindings]]\nname = "${binding}"\nclass_name = "${className}"\n`).join("\n")}
# Looks after runs whose alarm was lost.
[triggers]
crons = ["*/5 * * * *"]

# The Workers beside the gateway are deployed first: \`npm run deploy\`.
${besides.map(({ binding, service }) => `[[services]]\nbinding = "${binding}"\nservice = ${quoted(`${name}-${service}`)}\n`).join("\n")}
# Against floods: per location and approximate. The id is this account's: another gateway in the account needs another id.
[[ratelimits]]
name = "FLOOD"
namespace_id = "1001"
simple = { limit = 300, period = 60 }

# Mail through Cloudflare Email Service: off by default, because an account without a sending domain may not be able to deploy with it.
# [[send_email]]
# name = "EMAIL"

# Request URLs hold review tokens: invocation logs, which record URLs, stay off.
[observability]
enabled = true

[observability.logs]
invocation_logs = false

[observability.traces]
enabled = false
`;

/** The text of \`workers/<folder>/wrangler.toml\`. */
export const besideToml = (
  name: string,
  { folder, service, binding, what }: Beside,
): string => `# ${capitalized(what)}. It has no address, no storage and no secrets; only the gateway's service binding
# ${binding} reaches it.
name = ${quoted(`${name}-${service}`)}
main = "worker.ts"
compatibility_date = "${compatibilityDate}"
${folder === "oauth" ? strictlyPublic : ""}workers_dev = false
preview_urls = false
minify = true
keep_names = false
upload_source_maps = true

[observability]
enabled = true

[observability.logs]
invocation_logs = false
${folder === "images" ? codecRules : ""}`;

const strictlyPublic = `# A client that names itself by an address is read from there: never from an address inside.
compatibility_flags = ["global_fetch_strictly_public"]
`;

const codecRules = `
# One package exports its codec under a name without an ending.
[[rules]]
type = "CompiledWasm"
globs = ["**/codec-libjpeg-turbo-8bit/wasm"]
fallthrough = true

# The codecs' own loaders look for Node or a browser's worker, and then for files beside them. Here they are given what they need.
[define]
process = "undefined"
WorkerGlobalScope = "undefined"
`;

/** As a basic string of TOML, which escapes as JSON does. */
const quoted = (text: string): string => JSON.stringify(text);

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
