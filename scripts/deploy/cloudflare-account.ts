// What only Cloudflare's API says, because wrangler has no command for it: the account's workers.dev subdomain, and whose a custom domain is.
// Reads alone; every change is wrangler's.

import { z } from "zod";
import { DeployError, explain } from "./deploy-error.ts";
import type { Wrangler } from "./wrangler.ts";

const credentialSchema = z.union([
  z.object({ type: z.enum(["api_token", "oauth"]), token: z.string() }),
  z.object({ type: z.literal("api_key"), key: z.string(), email: z.string() }),
]);
const answerSchema = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ code: z.number(), message: z.string() })),
  result: z.unknown(),
});
const domainsSchema = z.array(z.object({ hostname: z.string(), service: z.string() }));
const changesetSchema = z.object({ conflicting: z.array(z.object({ hostname: z.string() })) });

export type CloudflareAccount = {
  /** Null where none was chosen yet. */
  readonly subdomain: () => Promise<string | null>;
  /** The Worker that this custom domain leads to; null where it leads to none. */
  readonly workerAt: (host: string) => Promise<string | null>;
  /** Whether DNS records of that name stand in the way of a custom domain for this Worker, which must exist. */
  readonly hasRecordsAt: (host: string, worker: string) => Promise<boolean>;
};

/** `account`: its id. The credential is wrangler's own. */
export async function cloudflareAccount(wrangler: Wrangler, account: string): Promise<CloudflareAccount> {
  const ask = await asker(wrangler);
  const workers = `accounts/${account}/workers`;
  return {
    subdomain: async () => {
      const { errors, result } = await ask(`${workers}/subdomain`, [10007]);
      return errors.length > 0 ? null : z.object({ subdomain: z.string() }).parse(result).subdomain;
    },
    workerAt: async (host) => {
      const { result } = await ask(`${workers}/domains?hostname=${encodeURIComponent(host)}`);
      return domainsSchema.parse(result).find(({ hostname }) => hostname === host)?.service ?? null;
    },
    hasRecordsAt: async (host, worker) => {
      // It says what would change, and changes nothing.
      const { result } = await ask(`${workers}/scripts/${worker}/domains/changeset?replace_state=true`, [], [{ hostname: host }]);
      return changesetSchema.parse(result).conflicting.some(({ hostname }) => hostname === host);
    },
  };
}

type Answer = z.infer<typeof answerSchema>;

async function asker(wrangler: Wrangler) {
  const { status, stdout, output } = await wrangler("auth", "token", "--json");
  const credential = status === 0 ? credentialSchema.safeParse(JSON.parse(stdout)) : null;
  if (credential?.success !== true) throw explain("Reading wrangler's credential", output);
  const headers: Record<string, string> =
    credential.data.type === "api_key"
      ? { "X-Auth-Key": credential.data.key, "X-Auth-Email": credential.data.email }
      : { Authorization: `Bearer ${credential.data.token}` };
  // As wrangler has it.
  const base = process.env["CLOUDFLARE_API_BASE_URL"] ?? "https://api.cloudflare.com/client/v4";
  /** `expected`: codes of errors that are an answer. Others are thrown. */
  return async (path: string, expected: readonly number[] = [], body?: object): Promise<Answer> => {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(`${base}/${path}`, {
      ...init,
      headers: { ...headers, "Content-Type": "application/json" },
      redirect: "error",
      signal: AbortSignal.timeout(30_000),
    }).catch(() => null);
    const answer = answerSchema.safeParse(await response?.json().catch(() => null));
    if (!answer.success)
      throw new DeployError(
        `Cloudflare's API did not answer as it should (${response === null ? "no connection" : response.status}). Wait a minute, then run npm run deploy again.`,
      );
    const unexpected = answer.data.errors.filter(({ code }) => !expected.includes(code));
    if (unexpected.length > 0 || (!answer.data.success && answer.data.errors.length === 0))
      throw explain(
        "Asking Cloudflare about the account",
        unexpected.map(({ code, message }) => `Error: ${message} [code: ${code}]`).join("\n"),
      );
    return answer.data;
  };
}
