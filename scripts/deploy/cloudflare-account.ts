// What is there in a Cloudflare account, read from its API with wrangler's own credential. Reads
// alone: every change is wrangler's. Wrangler has no command for the subdomain and for whose a
// domain is; for the others it takes a process of a second for each Worker and question.

import { z } from "zod";
import { DeployError, explain } from "./deploy-error.ts";
import { type DeployedWorker, deployedWorker } from "./deployed-worker.ts";
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
const namespacesSchema = z.array(z.object({ id: z.string(), title: z.string() }));
const deploymentsSchema = z.object({ deployments: z.array(z.object({ versions: z.array(z.object({ version_id: z.string() })) })) });
const domainsSchema = z.array(z.object({ hostname: z.string(), service: z.string() }));
const changesetSchema = z.object({ conflicting: z.array(z.object({ hostname: z.string() })) });

/** Codes of errors of R2. A token may be allowed to deploy Workers, and not to see buckets. */
const noSuchBucket = 10006;
const noR2 = 10042;
const notAllowed = 10000;

export type CloudflareAccount = {
  /** Null where no Worker has this name. A split deployment counts as its first version. */
  readonly worker: (name: string) => Promise<DeployedWorker | null>;
  /** The id of the KV namespace with this title; undefined where there is none. */
  readonly namespace: (title: string) => Promise<string | undefined>;
  /** Whether this bucket is there; null where the account, or the credential, has no R2. */
  readonly hasBucket: (name: string) => Promise<boolean | null>;
  /** Null where none was chosen yet. */
  readonly subdomain: () => Promise<string | null>;
  /** The Worker that this custom domain leads to; null where it leads to none. */
  readonly workerAt: (host: string) => Promise<string | null>;
  /**
   * Whether DNS records of that name stand in the way of a custom domain for this Worker, which
   * must exist.
   */
  readonly hasRecordsAt: (host: string, worker: string) => Promise<boolean>;
};

/** `account`: its id. The credential is wrangler's own. */
export async function cloudflareAccount(wrangler: Wrangler, account: string): Promise<CloudflareAccount> {
  const ask = await apiOf(wrangler);
  const workers = `accounts/${account}/workers`;
  return {
    worker: async (name) => {
      const { errors, result } = await ask(`${workers}/scripts/${name}/deployments`, [10007, 10090]);
      const [version] = errors.length > 0 ? [] : (deploymentsSchema.parse(result).deployments[0]?.versions ?? []);
      if (version === undefined) return null;
      const path = `${workers}/scripts/${name}`;
      const [view, schedules, workersDev] = await Promise.all([
        ask(`${path}/versions/${version.version_id}`),
        ask(`${path}/schedules`),
        ask(`${path}/subdomain`),
      ]);
      return deployedWorker(view.result, schedules.result, workersDev.result);
    },
    namespace: async (title) => {
      for (let page = 1; ; page += 1) {
        const { result } = await ask(`accounts/${account}/storage/kv/namespaces?per_page=100&page=${page}`);
        const some = namespacesSchema.parse(result);
        const found = some.find((each) => each.title === title);
        if (found !== undefined || some.length < 100) return found?.id;
      }
    },
    hasBucket: async (name) => {
      const { errors } = await ask(`accounts/${account}/r2/buckets/${name}`, [noSuchBucket, noR2, notAllowed]);
      return errors.length === 0 ? true : errors.some(({ code }) => code === noSuchBucket) ? false : null;
    },
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

async function apiOf(wrangler: Wrangler) {
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
