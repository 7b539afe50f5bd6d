// The options of npm run deploy.

import { parseArgs } from "node:util";
import { type Result, err, ok } from "../../shared/result.ts";
import { checkNames } from "../../client/init/project.ts";

export const deployUsage = `Usage: npm run deploy -- [options]

Deploys the gateway and the four Workers beside it to Cloudflare: finds or makes what they need, asks for secrets, deploys, and checks
the result. Run it again at any time: what is there already is left as it is.

  --name <name>       the gateway's Worker; the others are <name>-images, <name>-tools, <name>-pages and <name>-oauth. Default: the name in wrangler.toml
  --domain <host>     serves the gateway at https://<host>, a custom domain of a zone in this account; default: its workers.dev address
  --account <id>      the Cloudflare account, where the credential has several; CLOUDFLARE_ACCOUNT_ID does the same
  --secret <NAME>     sets this secret, also where it is set already: from the environment variable of that name, or asked for; repeatable
  --replace           deploys over Workers or domains of these names that are not this gateway's
  --wait <seconds>    how long to wait for the gateway to answer; 180 by default
  --yes               asks nothing: takes what is in the environment, and the defaults
  --dry-run           builds every Worker and says what would be deployed; needs no account and uploads nothing
  --help
`;

const options = {
  name: { type: "string" },
  domain: { type: "string" },
  account: { type: "string" },
  secret: { type: "string", multiple: true },
  replace: { type: "boolean" },
  wait: { type: "string" },
  yes: { type: "boolean" },
  "dry-run": { type: "boolean" },
  help: { type: "boolean" },
} as const;

export type DeployOptions = {
  readonly name: string | undefined;
  readonly domain: string | undefined;
  readonly account: string | undefined;
  readonly secrets: readonly string[];
  readonly replaces: boolean;
  readonly waitSeconds: number;
  readonly asksNothing: boolean;
  readonly isDryRun: boolean;
  readonly wantsHelp: boolean;
};

/**
 * Reads the arguments. Refused, in a sentence without a full stop: what nothing can be deployed
 * with.
 */
export function readOptions(args: readonly string[]): Result<DeployOptions, string> {
  let values: ReturnType<typeof parse>;
  try {
    values = parse(args);
  } catch {
    // Node's own message quotes the argument, which may be a secret that was given by mistake.
    return err("an option is unknown, or lacks its value; a secret's value is never an argument");
  }
  const { name, domain, account, secret = [], replace, wait = "180", yes, help } = values;
  if (name !== undefined) {
    const checked = checkNames({ name, publicUrl: "" });
    if (!checked.ok) return err(checked.error.why.replace(/\.$/, "").replace("the name", "--name"));
  }
  if (domain !== undefined && !isHost(domain))
    return err("--domain must be a host name such as gateway.example.com, without https:// and without a path");
  if (account !== undefined && !/^[0-9a-f]{32}$/.test(account)) return err("--account must be an account's id: 32 hexadecimal digits");
  const unusable = secret.some((each) => !/^[A-Z][A-Z0-9_]*$/.test(each));
  if (unusable)
    return err("--secret takes the name of a secret, such as ANTHROPIC_API_KEY; its value comes from the environment or is asked for");
  const waitSeconds = Number(wait);
  if (!Number.isInteger(waitSeconds) || waitSeconds < 1 || waitSeconds > 3600)
    return err("--wait must be a whole number of seconds from 1 to 3600");
  return ok({
    name,
    domain,
    account,
    secrets: [...new Set(secret)],
    replaces: replace === true,
    waitSeconds,
    asksNothing: yes === true,
    isDryRun: values["dry-run"] === true,
    wantsHelp: help === true,
  });
}

const parse = (args: readonly string[]) => parseArgs({ args: [...args], options, strict: true }).values;

const isHost = (text: string): boolean =>
  text.length <= 253 && /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/.test(text);
