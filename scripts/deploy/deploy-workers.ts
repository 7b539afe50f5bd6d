// Deploys the four Workers in their order, each where it changed, and attaches the custom domain.

import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configs } from "../built-workers.ts";
import { makePrivate } from "../private-folder.ts";
import type { CloudflareAccount } from "./cloudflare-account.ts";
import { DeployError, explain } from "./deploy-error.ts";
import { type DeployedWorker, deployMessage, isOurs } from "./deployed-worker.ts";
import { type RawConfig, withDomain } from "./gateway-config.ts";
import type { Wrangler } from "./wrangler.ts";

export type Tell = (state: string, what: string, text?: string) => void;

/** A Worker as it is to be. `config`: a path that wrangler reads. */
export type Part = {
  readonly name: string;
  readonly config: string;
  readonly digest: string;
  readonly there: DeployedWorker | null;
  /**
   * Whether what is there lacks a cron trigger or its address, because an earlier deployment
   * stopped after the upload.
   */
  readonly isIncomplete: boolean;
};

type Context = {
  readonly wrangler: Wrangler;
  readonly tell: Tell;
  /** Of this checkout. */
  readonly version: string;
  /** For files that wrangler reads, for this user alone. */
  readonly folder: string;
};

export const digestOfText = (...texts: readonly string[]): string => createHash("sha256").update(texts.join("\0")).digest("hex");

/**
 * The Workers beside the gateway: the configuration's path and the name's end, in the order in
 * which they are deployed.
 */
export const besideParts = Object.entries(configs)
  .filter(([name]) => name !== "countersign")
  .map(([name, config]) => ({ suffix: name.slice("countersign".length), config }));

/** Whether this gateway lacks what is set after its upload. */
export const isIncomplete = (there: DeployedWorker | null, config: RawConfig): boolean =>
  there !== null &&
  (there.onWorkersDev !== (config.workers_dev !== false) ||
    there.crons.toSorted().join() !== (config.triggers?.crons ?? []).toSorted().join());

/** Refuses to deploy over Workers that are somebody else's. */
export function checkNamesAreFree(parts: readonly Pick<Part, "name" | "there">[], replaces: boolean): void {
  const taken = parts.filter(({ there }) => there !== null && !isOurs(there)).map(({ name }) => name);
  if (taken.length === 0 || replaces) return;
  throw new DeployError(
    `The account has ${taken.length === 1 ? "a Worker" : "Workers"} named ${taken.join(", ")}, which npm run deploy did not deploy. Choose another name with --name, or add --replace if it is to be replaced. Nothing was changed.`,
  );
}

/**
 * Deploys one Worker where its code, its configuration or a secret changed. Secrets and code are
 * one version: it never runs without them.
 */
export async function deployPart(
  part: Part,
  secrets: Readonly<Record<string, string>>,
  { wrangler, tell, version, folder }: Context,
): Promise<void> {
  const message = deployMessage(version, part.digest);
  if (part.there?.message === message && !part.isIncomplete && Object.keys(secrets).length === 0) {
    tell("unchanged", part.name);
    return;
  }
  const made = await withSecretsFile(folder, secrets, (more) =>
    wrangler("deploy", "--config", part.config, "--name", part.name, "--message", message, ...more),
  );
  if (made.status !== 0) throw explain(`Deploying ${part.name}`, made.output);
  const [, namespace] = /Creating new KV Namespace "([^"]+)"/.exec(made.output) ?? [];
  if (namespace !== undefined) tell("made", "KV namespace", namespace);
  tell(part.there === null ? "deployed" : "updated", part.name);
}

/** Makes the bucket of the record, which is private. */
export async function makeBucket(name: string, { wrangler, tell }: Pick<Context, "wrangler" | "tell">): Promise<void> {
  const made = await wrangler("r2", "bucket", "create", name);
  if (made.status !== 0) throw explain(`Making the R2 bucket ${name}`, made.output);
  tell("made", "R2 bucket", name);
}

/**
 * `use` gets the arguments that name the file; none without secrets. The file is gone afterwards,
 * whatever happened.
 */
async function withSecretsFile<T>(
  folder: string,
  secrets: Readonly<Record<string, string>>,
  use: (args: readonly string[]) => Promise<T>,
): Promise<T> {
  if (Object.keys(secrets).length === 0) return use([]);
  makePrivate(folder);
  const own = mkdtempSync(join(folder, "secrets-"));
  try {
    const path = join(own, "secrets.json");
    writeFileSync(path, JSON.stringify(secrets), { mode: 0o600, flag: "wx" });
    return await use(["--secrets-file", path]);
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

type Domain = { readonly host: string; readonly worker: string; readonly config: object; readonly replaces: boolean };

/**
 * Whether this domain may be taken: it leads to no other Worker. Asked before anything is deployed.
 */
export async function checkDomainIsFree(account: CloudflareAccount, { host, worker, replaces }: Omit<Domain, "config">): Promise<boolean> {
  const there = await account.workerAt(host);
  if (there !== null && there !== worker && !replaces)
    throw new DeployError(
      `${host} leads to the Worker ${there}. Choose another --domain, or add --replace to take it from there. Nothing was changed.`,
    );
  return there === worker;
}

/**
 * Attaches the domain to the gateway, which is deployed. Wrangler without a terminal would
 * overwrite DNS records without asking.
 */
export async function attachDomain(
  account: CloudflareAccount,
  { host, worker, config, replaces }: Domain,
  { wrangler, tell, folder }: Context,
): Promise<void> {
  if (!replaces && (await account.hasRecordsAt(host, worker)))
    throw new DeployError(
      `${host} has DNS records of its own. Delete them in the dashboard, choose another --domain, or add --replace to overwrite them. The Workers are deployed; run npm run deploy again.`,
    );
  const path = writeConfig(folder, "domain.json", withDomain(config, host));
  const done = await wrangler("triggers", "deploy", "--config", path, "--name", worker);
  if (done.status !== 0 || /was skipped|Some triggers failed/.test(done.output)) throw explain(`Attaching the domain ${host}`, done.output);
  tell("attached", "domain", host);
}

/** Writes a configuration for wrangler. It has names and addresses, and no secret. */
export function writeConfig(folder: string, name: string, config: object): string {
  makePrivate(folder);
  const path = join(folder, name);
  writeFileSync(path, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
  return path;
}
