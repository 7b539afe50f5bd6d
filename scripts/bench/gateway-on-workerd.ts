// The gateway as it would be deployed, on workerd itself, for benchmarks: its KV answers from a list of documents.

import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { freePort } from "../gateway.ts";
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

/** `disk` waits for this machine's disk at every commit, which no deployed object does; `memory` is what is left without it. */
export async function gateway(
  storage: "memory" | "disk",
  { folder, memory, documents }: { readonly folder: string; readonly memory: string; readonly documents: Record<string, unknown> },
): Promise<Served> {
  const port = await freePort();
  const disk = join(storage === "disk" ? folder : memory, "objects");
  mkdirSync(disk);
  const classes = {
    SESSION: "SessionObject",
    KEY: "KeyObject",
    RUN: "RunObject",
    CONFIGURATION: "ConfigObject",
    LEDGER: "LedgerObject",
    LANE: "LaneObject",
    CACHE: "CacheObject",
    CONVERSATION: "ConversationObject",
  };
  const bindings = [
    `(name = "CONFIG", kvNamespace = "kv")`,
    text("PUBLIC_URL", `http://127.0.0.1:${port}`),
    text("LINK_KEY", "bench-link-key-0123456789"),
    text("ADMIN_TOKEN", "bench-admin-token-0123456789"),
    ...Object.entries(classes).map(([name, each]) => `(name = "${name}", durableObjectNamespace = "${each}")`),
  ].join(", ");
  const objects = `, durableObjectNamespaces = [${Object.values(classes)
    .map((each) => `(className = "${each}", uniqueKey = "${each}", enableSql = true)`)
    .join(", ")}], durableObjectStorage = (localDisk = "disk")`;
  const services = [
    `(name = "disk", disk = (path = "${disk}", writable = true))`,
    `(name = "kv", worker = ${worker(bundle("scripts/bench/workers/kv.ts", folder), `(name = "DOCUMENTS", json = ${JSON.stringify(JSON.stringify(documents))})`)})`,
    `(name = "main", worker = ${worker(bundle("workers/index.ts", folder), bindings, objects)})`,
  ].join(", ");
  return serve(`countersign-${storage}`, folder, port, config(services, port));
}
