// The gateway as it is deployed, on workerd itself, for benchmarks: its KV and its rate limit are
// Workers, and the documents are written like an operator's.

import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { freePort } from "../scripts/local-gateway.ts";
import { publishedCopy } from "../shared/published.ts";
import { signingKey } from "../shared/sealed-id.ts";
import { type Served, bundle, serve } from "./workerd.ts";

const flags = `compatibilityDate = "2026-11-02", compatibilityFlags = ["enable_request_signal"]`;

export const worker = (file: string, bindings: string, more = ""): string =>
  `(modules = [(name = "worker", esModule = embed "${basename(file)}")], ${flags}, bindings = [${bindings}]${more})`;
export const text = (name: string, value: string): string => `(name = "${name}", text = ${JSON.stringify(value)})`;
export const config = (services: string, port: number): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [ (name = "internet", network = (allow = ["private", "public"])), ${services} ],
  sockets = [ (name = "http", address = "127.0.0.1:${port}", http = (), service = "main") ]
);`;

export const linkKey = "bench-link-key-0123456789";
export const adminToken = "bench-admin-token-0123456789";

/**
 * A benchmark gateway's configuration: documents by name, and keys' records by the digest of the
 * key.
 */
export type Configured = {
  readonly documents: Readonly<Record<string, object>>;
  readonly keys: Readonly<Record<string, object>>;
  readonly variables?: Readonly<Record<string, string>>;
};

type GatewayProcess = {
  readonly name: string;
  /** For the bundle and the configuration. */
  readonly folder: string;
  /** Where the objects are stored. Documents are written where it is empty. */
  readonly disk: string;
  readonly entry: string;
  readonly configured: Configured;
  /** A folder that takes the place of R2, for an entry that knows of it. */
  readonly bucket?: string | undefined;
};

export async function gateway({ name, folder, disk, entry, configured, bucket }: GatewayProcess): Promise<Served> {
  const port = await freePort();
  const isNew = readdirSync(disk).length === 0;
  const classes = {
    SESSION: "SessionObject",
    KEY: "KeyObject",
    RUN: "RunObject",
    CONFIGURATION: "ConfigObject",
    LEDGER: "LedgerObject",
    CONCURRENCY_QUEUE: "ConcurrencyQueueObject",
    CACHE: "CacheObject",
    CONVERSATION: "ConversationObject",
    CALL: "CallObject",
    BRIDGE: "BridgeObject",
    BUDGET: "BudgetObject",
    STOP: "StopObject",
    TOOL_DEFINITIONS: "ToolsObject",
    DIGEST: "DigestObject",
    INBOX: "InboxObject",
  };
  const bindings = [
    `(name = "CONFIG", kvNamespace = "kv")`,
    `(name = "FLOOD", service = "rate-limit")`,
    `(name = "PAGES", service = "pages")`,
    text("PUBLIC_URL", `http://127.0.0.1:${port}`),
    text("LINK_KEY", linkKey),
    text("ADMIN_TOKEN", adminToken),
    ...Object.entries(configured.variables ?? {}).map(([name, value]) => text(name, value)),
    ...(bucket === undefined ? [] : [`(name = "BUCKET_FILES", service = "bucket")`]),
    ...Object.entries(classes).map(([name, each]) => `(name = "${name}", durableObjectNamespace = "${each}")`),
  ].join(", ");
  const objects = `, durableObjectNamespaces = [${Object.values(classes)
    .map((each) => `(className = "${each}", uniqueKey = "${each}", enableSql = true)`)
    .join(", ")}], durableObjectStorage = (localDisk = "disk")`;
  const services = [
    `(name = "disk", disk = (path = "${disk}", writable = true))`,
    ...(bucket === undefined ? [] : [`(name = "bucket", disk = (path = "${bucket}", writable = true))`]),
    `(name = "kv", worker = ${worker(bundle("bench/workers/kv.ts", folder), `(name = "PUBLISHED", json = ${JSON.stringify(JSON.stringify(publishedKeys(configured)))})`)})`,
    `(name = "rate-limit", worker = ${worker(bundle("bench/workers/rate-limit.ts", folder), "")})`,
    `(name = "pages", worker = ${worker(bundle("workers/ui/worker.ts", folder), "")})`,
    `(name = "main", worker = ${worker(bundle(entry, folder), bindings, objects)})`,
  ].join(", ");
  const served = await serve(name, folder, port, config(services, port));
  if (isNew) for (const [document, content] of Object.entries(configured.documents)) await write(port, document, content);
  return served;
}

/** Keys as the ConfigObject would have published them. */
const publishedKeys = ({ keys }: Configured): Record<string, string> =>
  Object.fromEntries(
    Object.entries(keys).map(([hash, record]) => {
      const name = `key:${hash}`;
      return [name, publishedCopy([signingKey(linkKey)], name, { version: 1, text: JSON.stringify({ record, revokedAt: null }) })];
    }),
  );

async function write(port: number, name: string, document: object): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/admin/${name}`, {
    method: "PUT",
    body: JSON.stringify(document),
    headers: { Authorization: `Bearer ${adminToken}`, "If-Match": "0", "Content-Type": "application/json" },
  });
  if (!response.ok) throw new Error(`${name}: the gateway answered ${response.status} ${await response.text()}`);
}
