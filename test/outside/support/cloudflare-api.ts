// Cloudflare's API as far as a deployment asks it, scripted by its documentation: accounts, Workers
// with their versions, KV namespaces, the workers.dev subdomain, custom domains and cron triggers.
// It keeps what is uploaded; cloudflare-edge.ts runs it.

import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type Binding = {
  readonly name: string;
  readonly type: string;
  readonly text?: string;
  readonly namespace_id?: string;
  readonly class_name?: string;
  readonly service?: string;
  readonly simple?: { readonly limit: number; readonly period: number };
};

type Metadata = {
  readonly main_module: string;
  readonly bindings: readonly Binding[];
  readonly compatibility_date: string;
  readonly compatibility_flags?: readonly string[];
  readonly keep_bindings?: readonly string[];
  readonly exports?: Readonly<Record<string, { readonly type: string; readonly storage: string }>>;
  readonly annotations?: Readonly<Record<string, string>>;
};

export type Module = { readonly name: string; readonly type: string; readonly bytes: Buffer };

export type Version = {
  readonly id: string;
  readonly metadata: Metadata;
  readonly bindings: readonly Binding[];
  readonly modules: readonly Module[];
};

export type Script = { readonly versions: Version[]; active: Version; onWorkersDev: boolean; crons: readonly string[] };

export type Asked = { readonly method: string; readonly path: string; readonly body: string };

/** `times` requests to this path are answered with an error of Cloudflare's API. */
type Failure = {
  readonly method: string;
  readonly path: RegExp;
  readonly status: number;
  readonly code: number;
  readonly message: string;
  times: number;
};

export const account = "0123456789abcdef0123456789abcdef";
export const token = "token-of-the-scripted-account-0123456789";

export class CloudflareApi {
  readonly scripts = new Map<string, Script>();
  readonly namespaces: { id: string; title: string }[] = [];
  /** Custom domains, with the Worker that each leads to. */
  readonly domains = new Map<string, string>();
  /** Hosts that have DNS records of somebody. */
  readonly records = new Set<string>();
  readonly asked: Asked[] = [];
  readonly failures: Failure[] = [];
  /** The command lines of what deploys, during each upload: where secrets must not be. */
  readonly argumentsSeen: string[] = [];
  accounts = [{ id: account, name: "Acme" }];
  subdomain: string | null = "acme";
  /** Null: the account has no R2. */
  buckets: Set<string> | null = new Set();
  #server: Server | undefined;

  async start(): Promise<string> {
    const server = createServer((request, response) => void this.#answer(request, response));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/client/v4`; // it listens on a port
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve) ?? resolve(null));
  }

  /** Everything as at the beginning. */
  reset(): void {
    for (const each of [this.scripts, this.domains, this.records]) each.clear();
    for (const each of [this.namespaces, this.asked, this.failures, this.argumentsSeen]) each.length = 0;
    this.accounts = [{ id: account, name: "Acme" }];
    this.subdomain = "acme";
    this.buckets = new Set();
  }

  /** The requests that change something; asking what would change is none. */
  changes(): string[] {
    return this.asked
      .filter(({ method, path }) => method !== "GET" && !path.includes("/changeset"))
      .map(({ method, path }) => `${method} ${path}`);
  }

  fail(method: string, path: RegExp, status: number, code: number, message: string, times = 1): void {
    this.failures.push({ method, path, status, code, message, times });
  }

  /** A Worker that somebody else deployed. */
  addForeign(name: string): void {
    const metadata = { main_module: "worker.js", bindings: [], compatibility_date: "2026-01-01" };
    const version = { id: randomUUID(), metadata, bindings: [], modules: [] };
    this.scripts.set(name, { versions: [version], active: version, onWorkersDev: false, crons: [] });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // a request's chunks are bytes
    const body = Buffer.concat(chunks);
    const url = new URL(request.url ?? "", "http://api");
    const method = request.method ?? "";
    const path = url.pathname.replace("/client/v4", "");
    const isMultipart = (request.headers["content-type"] ?? "").startsWith("multipart/");
    this.asked.push({ method, path, body: isMultipart ? "" : body.toString() });
    const send = (status: number, value: object): void =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    const failure = this.failures.find((each) => each.times > 0 && each.method === method && each.path.test(path));
    try {
      if (request.headers.authorization !== `Bearer ${token}`) throw new ApiError(401, 9109, "Invalid access token");
      if (failure !== undefined) {
        failure.times -= 1;
        throw new ApiError(failure.status, failure.code, failure.message);
      }
      const result = await this.#result(method, path, url, body, request.headers["content-type"] ?? "");
      send(200, { success: true, errors: [], messages: [], result, result_info: { page: 1, per_page: 100, total_pages: 1 } });
    } catch (error) {
      const { status, code, message } = error instanceof ApiError ? error : new ApiError(500, 10013, String(error));
      send(status, { success: false, errors: [{ code, message }], messages: [], result: null });
    }
  }

  async #result(method: string, path: string, url: URL, body: Buffer, contentType: string): Promise<unknown> {
    const json = <T>(): T => JSON.parse(body.toString()) as T; // wrangler's own bodies
    if (path === "/user/tokens/verify") return { id: "token", status: "active" };
    if (path === "/user") return { id: "user", email: "ann@example.com" };
    if (path === "/accounts") return pageOf(this.accounts, url);
    if (path === "/memberships") return this.accounts.map((each) => ({ id: `membership-${each.id}`, account: each, roles: [] }));
    const [, id = "", rest = ""] = /^\/accounts\/([^/]+)\/(.*)$/.exec(path) ?? [];
    if (!this.accounts.some((each) => each.id === id)) throw new ApiError(403, 9109, "Unauthorized to access requested resource");
    if (rest === "workers/subdomain") {
      if (this.subdomain === null) throw new ApiError(404, 10007, "You do not have a workers.dev subdomain.");
      return { subdomain: this.subdomain };
    }
    if (rest === "storage/kv/namespaces") {
      if (method === "GET") return pageOf(this.namespaces, url);
      const { title } = json<{ title: string }>();
      if (this.namespaces.some((each) => each.title === title))
        throw new ApiError(400, 10014, "create namespace: A namespace with this account ID and title already exists.");
      const made = { id: randomBytes(16).toString("hex"), title };
      this.namespaces.push(made);
      return made;
    }
    const [, bucket] = /^r2\/buckets(?:\/([^/]+))?$/.exec(rest) ?? [];
    if (bucket !== undefined && method === "GET") {
      if (this.buckets === null) throw new ApiError(403, 10042, "Please enable R2 through the Cloudflare Dashboard.");
      if (!this.buckets.has(bucket)) throw new ApiError(404, 10006, "The specified bucket does not exist.");
      return { name: bucket };
    }
    if (rest === "r2/buckets" && method === "POST") {
      const { name } = json<{ name: string }>();
      this.buckets?.add(name);
      return { name };
    }
    if (rest === "workers/domains") {
      const host = url.searchParams.get("hostname");
      return [...this.domains]
        .filter(([each]) => host === null || each === host)
        .map(([hostname, service]) => ({ id: hostname, hostname, service }));
    }
    const [, kind = "", name = "", action = ""] = /^workers\/(services|workers|scripts)\/([^/]+)(?:\/(.*))?$/.exec(rest) ?? [];
    if (method === "PUT" && kind === "scripts" && action === "") return this.#upload(name, body, contentType, true);
    const script = this.scripts.get(name);
    if (script === undefined) throw new ApiError(404, kind === "services" ? 10090 : 10007, "This Worker does not exist on your account.");
    if (kind === "services")
      return { default_environment: { environment: "production", script: { tag: name, tags: [], last_deployed_from: "wrangler" } } };
    if (kind === "workers") return { id: name, name, subdomain: { enabled: script.onWorkersDev, previews_enabled: false } };
    return this.#script(method, script, name, action, body, contentType, json);
  }

  async #script(
    method: string,
    script: Script,
    name: string,
    action: string,
    body: Buffer,
    contentType: string,
    json: <T>() => T,
  ): Promise<unknown> {
    const [first = "", second] = action.split("/");
    switch (first) {
      case "deployments": {
        if (method === "POST") {
          const [wanted] = json<{ versions: { version_id: string }[] }>().versions;
          const version = script.versions.find((each) => each.id === wanted?.version_id);
          if (version === undefined) throw new ApiError(404, 100_147, "The requested Worker version does not exist.");
          script.active = version;
          return { id: randomUUID() };
        }
        // The newest first.
        const others = script.versions.filter((version) => version !== script.active).toReversed();
        return {
          deployments: [script.active, ...others].map((version) => ({
            id: randomUUID(),
            source: "wrangler",
            strategy: "percentage",
            author_email: "ann@example.com",
            created_on: "2026-11-23T00:00:00Z",
            annotations: {},
            versions: [{ version_id: version.id, percentage: 100 }],
          })),
        };
      }
      case "versions": {
        if (method === "POST") return this.#upload(name, body, contentType, false);
        const shown = (version: Version) => ({
          id: version.id,
          number: script.versions.indexOf(version) + 1,
          metadata: { created_on: "2026-11-23T00:00:00Z", author_email: "ann@example.com", source: "wrangler" },
          annotations: version.metadata.annotations ?? {},
          resources: {
            script: { etag: version.id, handlers: ["fetch"] },
            script_runtime: { compatibility_date: version.metadata.compatibility_date },
            bindings: withoutSecrets(version.bindings),
          },
        });
        if (second === undefined) return { items: script.versions.map(shown) };
        const version = script.versions.find((each) => each.id === second);
        if (version === undefined) throw new ApiError(404, 10_007, "This version does not exist.");
        return shown(version);
      }
      case "settings":
        return { bindings: withoutSecrets(script.active.bindings) };
      case "secrets":
        return script.active.bindings
          .filter(({ type }) => type === "secret_text")
          .map((binding) => ({ name: binding.name, type: binding.type }));
      case "script-settings":
        return {};
      case "subdomain":
        if (method === "POST") script.onWorkersDev = json<{ enabled: boolean }>().enabled;
        return { enabled: script.onWorkersDev, previews_enabled: false };
      case "schedules":
        if (method === "PUT") script.crons = json<{ cron: string }[]>().map(({ cron }) => cron);
        return { schedules: script.crons.map((cron) => ({ cron })) };
      case "domains": {
        const origins = second === "changeset" ? json<{ hostname: string }[]>() : json<{ origins: { hostname: string }[] }>().origins;
        if (second === "changeset") {
          const conflicting = origins.filter(({ hostname }) => this.records.has(hostname));
          return { added: origins.filter((each) => !conflicting.includes(each)), removed: [], updated: [], conflicting };
        }
        for (const { hostname } of origins) this.domains.set(hostname, name);
        return origins;
      }
      default:
        throw new ApiError(404, 7000, `No route for that URI: ${method} ${action}`);
    }
  }

  /** A new version: its bindings are those of the upload, and the secrets of the one before. */
  async #upload(name: string, body: Buffer, contentType: string, isDeployed: boolean): Promise<unknown> {
    this.argumentsSeen.push(...argumentsOfProcesses());
    const form = await new Response(new Uint8Array(body), { headers: { "content-type": contentType } }).formData();
    const metadata = JSON.parse(await textOf(form.get("metadata"))) as Metadata; // wrangler's own
    const before = this.scripts.get(name)?.active.bindings ?? [];
    const kept = before.filter(
      (old) => (metadata.keep_bindings ?? []).includes(old.type) && !metadata.bindings.some((each) => each.name === old.name),
    );
    const bindings = [...metadata.bindings.map((each) => (each.type === "inherit" ? this.#inherited(each, before) : each)), ...kept];
    this.#checkBindings(bindings, metadata);
    const modules: Module[] = [];
    for (const [part, file] of form)
      if (part !== "metadata" && typeof file !== "string" && !part.endsWith(".map"))
        modules.push({ name: part, type: file.type, bytes: Buffer.from(await file.arrayBuffer()) });
    const version = { id: randomUUID(), metadata, bindings, modules };
    const script = this.scripts.get(name) ?? { versions: [], active: version, onWorkersDev: false, crons: [] };
    script.versions.push(version);
    if (isDeployed) script.active = version;
    this.scripts.set(name, script);
    return isDeployed
      ? { id: name, etag: version.id, deployment_id: version.id.replaceAll("-", ""), startup_time_ms: 12, tag: name }
      : { id: version.id, startup_time_ms: 12, resources: { script: { etag: version.id } }, metadata: {} };
  }

  #inherited({ name }: Binding, before: readonly Binding[]): Binding {
    const found = before.find((each) => each.name === name);
    if (found === undefined)
      throw new ApiError(400, 10_021, `inherit binding '${name}' is invalid: the previous version does not have it.`);
    return found;
  }

  #checkBindings(bindings: readonly Binding[], { exports = {} }: Metadata): void {
    for (const { name, type, service, namespace_id: namespace, class_name: className } of bindings) {
      if (type === "service" && !this.scripts.has(service ?? ""))
        throw new ApiError(400, 10_143, `Could not resolve service binding '${name}'. Target script '${service}' not found.`);
      if (type === "kv_namespace" && !this.namespaces.some(({ id }) => id === namespace))
        throw new ApiError(400, 10_041, `KV namespace '${namespace}' not found.`);
      if (type === "durable_object_namespace" && exports[className ?? ""] === undefined)
        throw new ApiError(
          400,
          10_061,
          `Cannot create binding for class '${className}' because it is not currently configured to implement Durable Objects.`,
        );
    }
  }
}

class ApiError extends Error {
  readonly status: number;
  readonly code: number;
  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Wrangler asks for pages until one is empty. */
function pageOf<T>(all: readonly T[], { searchParams }: URL): readonly T[] {
  const [page, size] = [Number(searchParams.get("page") ?? 1), Number(searchParams.get("per_page") ?? 20)];
  return all.slice((page - 1) * size, page * size);
}

const withoutSecrets = (bindings: readonly Binding[]): Binding[] =>
  bindings.map(({ text, ...binding }) => (binding.type === "secret_text" || text === undefined ? binding : { ...binding, text }));

const textOf = async (part: FormDataEntryValue | null): Promise<string> =>
  part === null ? "" : typeof part === "string" ? part : part.text();

/** Empty where the system does not show them. */
function argumentsOfProcesses(): string[] {
  if (!existsSync("/proc/self/cmdline")) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        return /wrangler|scripts\/deploy/.test(line) && !line.includes("/serve.ts") ? [line] : [];
      } catch {
        return [];
      }
    });
}
