// npm run deploy: deploys the gateway and the Workers beside it to Cloudflare. docs/deploy.md has
// the steps for people.
//
// Wrangler does the work: this finds what is there, decides what is missing, and says what to do
// where something fails. It may be run again at any time, also after a failure half-way: what is
// there is left as it is.
//
// Exit codes: 0 the gateway answers (it may need attention, as the doctor says); 1 something
// failed, and what to do; 2 wrong arguments.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { Unasked } from "../../client/subcommand.ts";
import { report } from "../../client/doctor/report.ts";
import { digestOf, quietly } from "../built-workers.ts";
import { diagnose } from "../doctor.ts";
import { operatorOf } from "../operator.ts";
import type { Target } from "../target.ts";
import { cloudflareAccount } from "./cloudflare-account.ts";
import { chooseAccount } from "./choose-account.ts";
import { DeployError, explain } from "./deploy-error.ts";
import { type DeployedWorker, secretsOf, variableOf } from "./deployed-worker.ts";
import {
  type Part,
  attachDomain,
  besideParts,
  checkDomainIsFree,
  checkNamesAreFree,
  deployPart,
  digestOfText,
  isIncomplete,
  writeConfig,
  makeBucket,
} from "./deploy-workers.ts";
import { keyCount, makeFirstKey } from "./first-key.ts";
import { type Address, type RawConfig, addressOf, bucketName, configuredKvId, gatewayConfig } from "./gateway-config.ts";
import { gatherSecrets } from "./gather-secrets.ts";
import { keptSecrets } from "./kept-secrets.ts";
import { nextSteps } from "./next-steps.ts";
import { type DeployOptions, deployUsage, readOptions } from "./options.ts";
import { Interrupted, isYes, personAt } from "./person.ts";
import { untilHealthy } from "./until-healthy.ts";
import { wranglerFor } from "./wrangler.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Made secrets and configurations for wrangler; git ignores it. */
const folder = join(root, ".countersign/deploy");

const say = (text = ""): void => console.log(text);
const tell = (state: string, what: string, text = ""): void => say(`${state.padEnd(9)}  ${what.padEnd(18)}  ${text}`.trimEnd());

const version = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8"))).version;

type WranglerModule = typeof import("wrangler");

/** wrangler.toml as it is written, without wrangler's defaults. */
function rawConfig(): RawConfig {
  return quietly(() => {
    const wrangler = createRequire(import.meta.url)("wrangler") as WranglerModule; // its types are the module's own
    return wrangler.experimental_readRawConfig({ config: join(root, "wrangler.toml") }).rawConfig as RawConfig; // a superset
  });
}

async function main(args: readonly string[]): Promise<number> {
  const read = readOptions(args);
  if (!read.ok) {
    console.error(`npm run deploy: ${read.error}.\n\n${deployUsage}`);
    return 2;
  }
  const options = read.value;
  if (options.wantsHelp) {
    say(deployUsage);
    return 0;
  }
  const raw = rawConfig();
  // Workers Builds names the project's Worker as its owner chose it.
  const name = options.name ?? (process.env["WRANGLER_CI_OVERRIDE_NAME"] || raw.name || "countersign");
  return options.isDryRun ? dryRun(raw, name, options) : deploy(raw, name, options);
}

/** Builds the Workers as a deployment would, and uploads nothing. */
async function dryRun(raw: RawConfig, name: string, { domain }: DeployOptions): Promise<number> {
  const wrangler = wranglerFor();
  const publicUrl = domain === undefined ? String(raw.vars?.["PUBLIC_URL"] ?? "") : `https://${domain}`;
  const address: Address = { kind: "own", publicUrl };
  const config = writeConfig(folder, `${name}.dry-run.json`, gatewayConfig(raw, { name, address, kvId: undefined, hasBucket: true, root }));
  for (const part of [...besideParts.map((each) => ({ name: name + each.suffix, config: each.config })), { name, config }]) {
    const built = await wrangler("deploy", "--dry-run", "--config", part.config, "--name", part.name);
    if (built.status !== 0) throw explain(`Building ${part.name}`, built.output);
    tell("built", part.name, /Total Upload: .*/.exec(built.output)?.[0] ?? "");
  }
  say("\nNothing was uploaded. npm run deploy deploys these Workers in this order.");
  return 0;
}

async function deploy(raw: RawConfig, name: string, options: DeployOptions): Promise<number> {
  const person = personAt(options);
  const { id: accountId, title } = await chooseAccount(raw, options, person);
  tell("found", "account", title);
  const wrangler = wranglerFor(accountId);
  const account = await cloudflareAccount(wrangler, accountId);

  const names = [...besideParts.map(({ suffix }) => name + suffix), name];
  const bucket = bucketName(raw, name);
  const [subdomain, kvId, foundBucket, ...there] = await Promise.all([
    account.subdomain(),
    // An earlier run may have made it, and stopped before the gateway had it.
    account.namespace(`${name}-config`),
    bucket === undefined ? null : account.hasBucket(bucket),
    ...names.map(account.worker),
  ]);
  const gateway = there.at(-1) ?? null;
  checkNamesAreFree(
    names.map((each, index) => ({ name: each, there: there[index] ?? null })),
    options.replaces,
  );
  const address = addressOf({ domain: options.domain, raw, deployed: variableOf(gateway, "PUBLIC_URL"), name, subdomain });
  if (address === null)
    throw new DeployError(
      "The account has no workers.dev subdomain. Choose one in the dashboard under Workers & Pages, or deploy with --domain and a host of a zone in this account. Nothing was changed.",
    );
  const host = new URL(address.publicUrl).hostname;
  const isAttached = address.kind !== "custom" || (await checkDomainIsFree(account, { host, worker: name, replaces: options.replaces }));
  tell("found", "address", address.publicUrl);
  const bound = boundNamespace(gateway);
  const namespace = configuredKvId(raw) ?? bound ?? kvId;
  if (namespace !== undefined) tell("found", "KV namespace", namespace);
  const hasBucket = foundBucket !== null || hadBucket(gateway);
  if (foundBucket === true) tell("found", "R2 bucket", bucket ?? "");
  if (bucket !== undefined && !hasBucket) tell("left out", "R2 bucket", "the account or the credential has no R2: docs/record.md");
  if (person !== null && !isYes(await person.ask(`\nDeploy ${names.join(", ")} to ${title}? [Y/n] `))) {
    say("Nothing was changed.");
    return 0;
  }

  const secrets = await gatherSecrets({ name, folder, there: secretsOf(gateway), isNew: gateway === null, options, person, tell });
  const config = gatewayConfig(raw, { name, address, kvId: namespace, hasBucket, root });
  const sources = digestOf();
  const parts: Part[] = besideParts.map((each, index) => ({
    name: name + each.suffix,
    config: each.config,
    digest: digestOfText(sources, name),
    there: there[index] ?? null,
    isIncomplete: false,
  }));
  const context = { wrangler, tell, version, folder };
  if (foundBucket === false && bucket !== undefined) await makeBucket(bucket, context);
  for (const part of parts) await deployPart(part, {}, context);
  // The namespace's id is not part of it: it is not known before the first deployment.
  const digest = digestOfText(
    sources,
    JSON.stringify(gatewayConfig(raw, { name, address, kvId: configuredKvId(raw), hasBucket, root: "" })),
  );
  const part = {
    name,
    config: writeConfig(folder, `${name}.json`, config),
    digest,
    there: gateway,
    isIncomplete: isIncomplete(gateway, config),
  };
  await deployPart(part, secrets, context);
  if (!isAttached) await attachDomain(account, { host, worker: name, config, replaces: options.replaces }, context);

  return check(address.publicUrl, name, options, person !== null);
}

/** The id of the namespace that the gateway has. */
const boundNamespace = (gateway: DeployedWorker | null): string | undefined =>
  gateway?.bindings.find((binding) => binding.name === "CONFIG" && binding.type === "kv_namespace")?.namespace_id;

/** A gateway that has a bucket keeps it, whatever the credential may see. */
const hadBucket = (gateway: DeployedWorker | null): boolean => gateway?.bindings.some(({ type }) => type === "r2_bucket") ?? false;

/** Waits for the gateway, runs the doctor, makes the first key and says what comes next. */
async function check(url: string, name: string, { waitSeconds }: DeployOptions, hasPerson: boolean): Promise<number> {
  const health = await untilHealthy(url, waitSeconds, (text) => say(text));
  if (health.kind === "silent")
    throw new DeployError(
      `The Workers are deployed, but ${url} did not answer within ${waitSeconds} seconds. A new domain or workers.dev subdomain can take some minutes: run npm run deploy again, which deploys nothing twice.`,
    );
  if (health.kind === "down") {
    if (isWorkersBuilds) {
      say(`\nThe gateway is deployed, and waits for its secrets: ${health.problems.join(". ")}. Set them under Settings in the dashboard.`);
      return 0;
    }
    throw new DeployError(
      `The Workers are deployed, but the gateway is down: ${health.problems.join(". ")}. Fix that, and run npm run deploy again.`,
    );
  }
  tell("answers", "gateway", `${url}/healthz says ${health.status}`);
  const adminToken = process.env["ADMIN_TOKEN"] || keptSecrets(folder, name)["ADMIN_TOKEN"];
  if (adminToken === undefined) {
    say(`\nThe doctor was not asked: put the gateway's ADMIN_TOKEN into the environment, and run npm run doctor -- --url ${url}.`);
    return 0;
  }
  const target: Target = { url, adminToken };
  const checks = await diagnose(target);
  say(`\n${report(checks, process.stdout.isTTY ? process.stdout.columns : undefined).text}`);
  const hasKey = await firstKey(target, hasPerson);
  const [model = null] = await operatorOf(url, adminToken).models();
  say("\nNext:");
  for (const [index, step] of nextSteps({ url, checks, model, hasKey }).entries()) say(`  ${index + 1}. ${step}`);
  return 0;
}

/**
 * Whether the gateway has a key in the end. In CI none is made: what is printed there is kept and
 * read by others.
 */
async function firstKey(target: Target, hasPerson: boolean): Promise<boolean> {
  if ((await keyCount(target)) > 0) return true;
  if (!hasPerson && process.env["CI"]) return false;
  const { id, key } = await makeFirstKey(target);
  say(`\nThe first API key, ${id}. It is shown this once:\n\n  ${key}`);
  return true;
}

const isWorkersBuilds = process.env["WORKERS_CI"] === "1";

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof Interrupted) console.error("\nnpm run deploy: interrupted. Run it again: it goes on with what is there.");
  else if (error instanceof DeployError)
    console.error(`\nnpm run deploy: ${error.message}${error.details === "" ? "" : `\n\n${error.details}`}`);
  else if (error instanceof Unasked)
    console.error(`\nnpm run deploy: the gateway is deployed, and the doctor could not ask it: ${error.message}.`);
  else throw error;
  process.exitCode = 1;
}
