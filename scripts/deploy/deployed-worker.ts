// What is deployed under a Worker's name, and whether it is one of ours. Pure.

import { z } from "zod";

const bindingSchema = z.looseObject({
  name: z.string(),
  type: z.string(),
  text: z.string().optional(),
  namespace_id: z.string().optional(),
  class_name: z.string().optional(),
});
const versionSchema = z.object({
  annotations: z.looseObject({ "workers/message": z.string().optional() }).optional(),
  resources: z.object({ bindings: z.array(bindingSchema).default([]) }),
});

const schedulesSchema = z.object({ schedules: z.array(z.object({ cron: z.string() })).default([]) });
const subdomainSchema = z.object({ enabled: z.boolean() });

export type DeployedWorker = {
  /** What `deployMessage` made, where this command deployed it. */
  readonly message: string;
  readonly bindings: readonly z.infer<typeof bindingSchema>[];
  readonly crons: readonly string[];
  /** Whether it answers at its workers.dev address. */
  readonly onWorkersDev: boolean;
};

/** From its version, its cron triggers and its subdomain as Cloudflare's API describes them. */
export function deployedWorker(version: unknown, schedules: unknown, subdomain: unknown): DeployedWorker {
  const { annotations, resources } = versionSchema.parse(version);
  return {
    message: annotations?.["workers/message"] ?? "",
    bindings: resources.bindings,
    crons: schedulesSchema.parse(schedules).schedules.map(({ cron }) => cron),
    onWorkersDev: subdomainSchema.parse(subdomain).enabled,
  };
}

const mark = "Countersign";

/**
 * The message of a version that this command deploys. The digest tells whether anything changed
 * since.
 */
export const deployMessage = (version: string, digest: string): string => `${mark} ${version}, ${digest.slice(0, 32)}`;

/**
 * Whether it is Countersign's: this command deployed it, or it is a gateway by its objects. A
 * secret that is set later takes the message away.
 */
export const isOurs = ({ message, bindings }: DeployedWorker): boolean =>
  message.startsWith(`${mark} `) ||
  bindings.some(({ name, class_name: className }) => name === "CONFIGURATION" && className === "ConfigObject");

/** The names of the secrets that a Worker has. Nobody can read their values. */
export const secretsOf = (worker: DeployedWorker | null): ReadonlySet<string> =>
  new Set((worker?.bindings ?? []).filter(({ type }) => type === "secret_text").map(({ name }) => name));

/** A plain variable's value; empty where it is not set. */
export const variableOf = (worker: DeployedWorker | null, name: string): string =>
  worker?.bindings.find((binding) => binding.name === name && binding.type === "plain_text")?.text ?? "";
