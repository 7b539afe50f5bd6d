// Which Cloudflare account is deployed to, and whether the credential may.

import { z } from "zod";
import { DeployError, explain } from "./deploy-error.ts";
import type { RawConfig } from "./gateway-config.ts";
import type { DeployOptions } from "./options.ts";
import { type Person, isYes } from "./person.ts";
import { wranglerFor, wranglerLogin } from "./wrangler.ts";

const whoamiSchema = z.object({
  loggedIn: z.boolean(),
  accounts: z.array(z.object({ id: z.string(), name: z.string() })).default([]),
});

export type Account = { readonly id: string; /** For people. */ readonly title: string };

/**
 * @throws DeployError without a credential, without an account, and where nothing says which of
 *   several is meant.
 */
export async function chooseAccount(raw: RawConfig, { account }: DeployOptions, person: Person | null): Promise<Account> {
  const wanted = account ?? raw.account_id ?? process.env["CLOUDFLARE_ACCOUNT_ID"];
  // A token that is made for one account may not be allowed to list accounts. What it may do is
  // seen at the first question.
  if (wanted && process.env["CLOUDFLARE_API_TOKEN"]) return { id: wanted, title: wanted };
  const accounts = await accountsOf(person);
  if (wanted) {
    const found = accounts.find(({ id }) => id === wanted);
    if (found === undefined)
      throw new DeployError(`This credential has no access to the account ${wanted}. It has access to: ${listed(accounts)}.`);
    return titled(found);
  }
  const [first, ...others] = accounts;
  if (first === undefined)
    throw new DeployError(
      "This credential has access to no account. Set CLOUDFLARE_ACCOUNT_ID, or make a token that has access to the account.",
    );
  if (others.length === 0) return titled(first);
  if (person === null)
    throw new DeployError(
      `This credential has access to several accounts: ${listed(accounts)}. Choose one with --account or CLOUDFLARE_ACCOUNT_ID.`,
    );
  for (;;) {
    const lines = accounts.map(({ name }, index) => `  ${index + 1}  ${name}\n`).join("");
    const chosen = accounts[Number(await person.ask(`Accounts:\n${lines}Deploy to which? [1-${accounts.length}] `)) - 1];
    if (chosen !== undefined) return titled(chosen);
  }
}

type Known = { readonly id: string; readonly name: string };
const listed = (accounts: readonly Known[]): string => accounts.map(({ id, name }) => `${name} (${id})`).join(", ") || "none";
const titled = ({ id, name }: Known): Account => ({ id, title: `${name} (${id})` });

async function accountsOf(person: Person | null): Promise<readonly Known[]> {
  for (let hasAsked = false; ; hasAsked = true) {
    const { stdout, output } = await wranglerFor()("whoami", "--json");
    const read = whoamiSchema.safeParse(parsed(stdout));
    if (read.success && read.data.loggedIn) return read.data.accounts;
    if (!read.success && !/Not logged in|not authenticated/i.test(output)) throw explain("Reading who is logged in", output);
    const mayLogIn = person !== null && !hasAsked && !process.env["CLOUDFLARE_API_TOKEN"];
    if (
      !mayLogIn ||
      !isYes(await person.ask("You are not logged in to Cloudflare. Log in with a browser now? [Y/n] ")) ||
      !(await wranglerLogin())
    )
      throw new DeployError(
        'You are not logged in to Cloudflare. Run `npx wrangler login`; in CI, set CLOUDFLARE_API_TOKEN to a token made from the template "Edit Cloudflare Workers", and CLOUDFLARE_ACCOUNT_ID. Nothing was changed.',
      );
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
