// Runs what a scripted Cloudflare account has deployed, at its real addresses: a proxy, which the
// deploying processes use, leads https://<worker>.<subdomain>.workers.dev and custom domains to the
// uploaded Workers on workerd.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type IncomingMessage, type ServerResponse, createServer, request as httpRequest } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { V4WorkerOptions } from "miniflare";
import { type Gateway, freePort, startServer } from "../../../scripts/local-gateway.ts";
import type { Binding, CloudflareApi, Version } from "./cloudflare-api.ts";

const serve = fileURLToPath(new URL("../../../scripts/serve.ts", import.meta.url));

export class CloudflareEdge {
  readonly #api: CloudflareApi;
  readonly #folder: string;
  #running: { readonly versions: string; readonly gateway: Gateway } | undefined;
  #starting: Promise<Gateway | null> = Promise.resolve(null);
  #closers: (() => void)[] = [];

  constructor(api: CloudflareApi, folder: string) {
    this.#api = api;
    this.#folder = folder;
  }

  /**
   * @returns the variables with which Node's `fetch` finds the deployed addresses; what is local is
   *   asked directly.
   */
  async start(): Promise<Readonly<Record<string, string>>> {
    mkdirSync(this.#folder, { recursive: true });
    const [key, cert] = [join(this.#folder, "key.pem"), join(this.#folder, "cert.pem")];
    const names = "subjectAltName=DNS:*.acme.workers.dev,DNS:gateway.example.com";
    execFileSync(
      "openssl",
      [
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=edge",
        "-addext",
        names,
        "-keyout",
        key,
        "-out",
        cert,
      ],
      { stdio: "pipe" },
    );
    const edge = createTlsServer(
      { key: readFileSync(key), cert: readFileSync(cert) },
      (request, response) => void this.#answer(request, response),
    );
    const proxy = createServer((_request, response) => void response.writeHead(502).end());
    proxy.on("connect", (request, socket) => {
      socket.on("error", () => socket.destroy());
      // Nothing else of the Internet is there.
      if (!/\.workers\.dev:443$|^gateway\.example\.com:443$/.test(request.url ?? "")) return socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      edge.emit("connection", socket);
      return undefined;
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    this.#closers = [
      () => {
        proxy.closeAllConnections();
        proxy.close();
        edge.closeAllConnections();
      },
    ];
    return {
      NODE_USE_ENV_PROXY: "1",
      HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, // it listens on a port
      NO_PROXY: "127.0.0.1,localhost",
      NODE_EXTRA_CA_CERTS: cert,
    };
  }

  async close(): Promise<void> {
    for (const close of this.#closers) close();
    await this.#starting.catch(() => null);
    await this.#running?.gateway.stop("kill");
  }

  /** The Worker that a host leads to, as Cloudflare routes it. */
  #workerAt(host: string): string | undefined {
    const [name = "", ...rest] = host.split(".");
    const domain = this.#api.domains.get(host);
    return (
      domain ?? (rest.join(".") === `${this.#api.subdomain}.workers.dev` && this.#api.scripts.get(name)?.onWorkersDev ? name : undefined)
    );
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = this.#workerAt(request.headers.host ?? "");
    const gateway = name === undefined ? null : await this.gateway(name).catch(() => null);
    if (gateway === null) return void response.writeHead(404, { "content-type": "text/html" }).end("<h1>There is nothing here yet</h1>");
    const onward = httpRequest(gateway.url + (request.url ?? ""), { method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  }

  /**
   * The deployed gateway as it runs, started where it is not, or where another version is deployed
   * since. Its data stays.
   */
  gateway(name: string): Promise<Gateway> {
    const started = this.#starting.catch(() => null).then(() => this.#upToDate(name));
    this.#starting = started;
    return started;
  }

  async #upToDate(name: string): Promise<Gateway> {
    const workers = this.#workers(name);
    const versions = workers.map(([, version]) => version.id).join();
    if (this.#running?.versions === versions) return this.#running.gateway;
    await this.#running?.gateway.stop();
    const port = await freePort();
    const options = {
      port,
      persistTo: join(this.#folder, "data"),
      workers: workers.map(([each, version]) => this.#optionsOf(each, version)),
    };
    const gateway = await startServer(port, serve, options);
    this.#running = { versions, gateway };
    return gateway;
  }

  /** The Worker, and those that it is bound to. */
  #workers(name: string): [string, Version][] {
    const script = this.#api.scripts.get(name);
    if (script === undefined) return [];
    const bound = script.active.bindings.flatMap(({ type, service = "" }) => (type === "service" ? this.#workers(service) : []));
    return [[name, script.active], ...bound];
  }

  #optionsOf(name: string, { id, metadata, bindings, modules }: Version): V4WorkerOptions {
    const folder = join(this.#folder, id);
    mkdirSync(folder, { recursive: true });
    const files = modules
      .toSorted((one) => (one.name === metadata.main_module ? -1 : 1))
      .map((module) => {
        const path = join(folder, module.name);
        writeFileSync(path, module.bytes);
        return { type: module.type === "application/wasm" ? ("CompiledWasm" as const) : ("ESModule" as const), path };
      });
    const those = (type: string): Binding[] => bindings.filter((binding) => binding.type === type);
    const byName = <T>(all: readonly Binding[], value: (binding: Binding) => T): Record<string, T> =>
      Object.fromEntries(all.map((binding) => [binding.name, value(binding)]));
    return {
      name,
      modulesRoot: folder,
      modules: files,
      compatibilityDate: metadata.compatibility_date,
      compatibilityFlags: [...(metadata.compatibility_flags ?? [])],
      bindings: byName([...those("plain_text"), ...those("secret_text")], ({ text = "" }) => text),
      kvNamespaces: byName(those("kv_namespace"), ({ namespace_id: namespace = "" }) => namespace),
      durableObjects: byName(those("durable_object_namespace"), ({ class_name: className = "" }) => ({ className, useSQLite: true })),
      serviceBindings: byName(those("service"), ({ service = "" }) => service),
      ratelimits: byName(those("ratelimit"), ({ namespace_id: namespace = "", simple }) => ({
        namespace_id: namespace,
        simple: { limit: simple?.limit ?? 1, period: 60 as const },
      })),
    };
  }
}
