// The configuration that the gateway is deployed with: wrangler.toml, with this deployment's names
// and address. Pure.

import { join } from "node:path";

/** What wrangler.toml has, as far as it is read here. Everything else is kept as it is. */
export type RawConfig = {
  readonly name?: string | undefined;
  readonly main?: string | undefined;
  readonly vars?: Readonly<Record<string, unknown>> | undefined;
  readonly workers_dev?: boolean | undefined;
  readonly triggers?: { readonly crons?: readonly string[] } | undefined;
  readonly account_id?: string | undefined;
  readonly kv_namespaces?: readonly { readonly binding: string; readonly id?: string }[] | undefined;
  readonly r2_buckets?: readonly { readonly binding: string; readonly bucket_name?: string | undefined }[] | undefined;
  readonly services?: readonly { readonly binding: string; readonly service: string }[] | undefined;
};

/**
 * `custom`: a custom domain that this command attaches. `own`: wrangler.toml says it, with routes
 * of its own.
 */
export type Address = { readonly kind: "custom" | "own" | "workersDev"; readonly publicUrl: string };

export type Deployment = {
  readonly name: string;
  readonly address: Address;
  /** The namespace's id; undefined: wrangler makes one. */
  readonly kvId: string | undefined;
  /** Whether the account has R2: without it the gateway has no bucket for its record. */
  readonly hasBucket: boolean;
  /** The folder of wrangler.toml, because the result is written elsewhere. */
  readonly root: string;
};

/** Without the custom domain, which is attached when the gateway is there: `withDomain`. */
export function gatewayConfig(raw: RawConfig, { name, address, kvId, hasBucket, root }: Deployment): RawConfig {
  return {
    ...raw,
    name,
    main: join(root, raw.main ?? "workers/index.ts"),
    ...(address.kind === "custom" ? { workers_dev: false } : {}),
    vars: { ...raw.vars, PUBLIC_URL: address.publicUrl },
    kv_namespaces: raw.kv_namespaces?.map((each) => (each.binding === "CONFIG" && kvId !== undefined ? { ...each, id: kvId } : each)),
    r2_buckets: raw.r2_buckets?.flatMap((each) =>
      each.binding !== recordBinding ? [each] : hasBucket ? [{ ...each, bucket_name: bucketName(raw, name) }] : [],
    ),
    services: raw.services?.map((each) => ({ ...each, service: besideName(raw, name, each.service) })),
  };
}

const recordBinding = "RECORD_BUCKET";

/** The bucket of the record: the one in wrangler.toml, or one that is named after the gateway. */
export function bucketName(raw: RawConfig, name: string): string | undefined {
  const bucket = raw.r2_buckets?.find(({ binding }) => binding === recordBinding);
  return bucket === undefined ? undefined : (bucket.bucket_name ?? `${name}-record`);
}

export const withDomain = (config: object, host: string): object => ({ ...config, routes: [{ pattern: host, custom_domain: true }] });

/** The Workers beside the gateway are named after it. One that is not is somebody's own choice. */
export function besideName(raw: RawConfig, name: string, service: string): string {
  const prefix = `${raw.name ?? "countersign"}-`;
  if (service.startsWith(prefix)) return `${name}-${service.slice(prefix.length)}`;
  return service.startsWith("countersign-") ? `${name}-${service.slice("countersign-".length)}` : service;
}

/** The id in wrangler.toml, where somebody wrote one. */
export const configuredKvId = (raw: RawConfig): string | undefined =>
  raw.kv_namespaces?.find(({ binding }) => binding === "CONFIG")?.id || undefined;

/**
 * Which address the gateway gets: the domain that was asked for, else that of wrangler.toml, else
 * the one that it has, else that of workers.dev. Null where none is possible, because the account
 * has no workers.dev subdomain.
 */
export function addressOf(given: {
  readonly domain: string | undefined;
  readonly raw: RawConfig;
  /** PUBLIC_URL of what is deployed; empty where nothing is. */
  readonly deployed: string;
  readonly name: string;
  readonly subdomain: string | null;
}): Address | null {
  const { domain, raw, deployed, name, subdomain } = given;
  if (domain !== undefined) return { kind: "custom", publicUrl: `https://${domain}` };
  const own = raw.vars?.["PUBLIC_URL"];
  if (typeof own === "string" && own !== "") return { kind: "own", publicUrl: own };
  if (deployed !== "" && !new URL(deployed).hostname.endsWith(".workers.dev")) return { kind: "custom", publicUrl: deployed };
  return subdomain === null ? null : { kind: "workersDev", publicUrl: `https://${name}.${subdomain}.workers.dev` };
}
