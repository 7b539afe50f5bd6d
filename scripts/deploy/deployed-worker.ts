// What is deployed under a Worker's name, and whether it is one of ours.

import { z } from "zod";
import { explain } from "./deploy-error.ts";
import type { Wrangler } from "./wrangler.ts";

const bindingSchema = z.looseObject({
  name: z.string(),
  type: z.string(),
  text: z.string().optional(),
  namespace_id: z.string().optional(),
  class_name: z.string().optional(),
});
const deploymentSchema = z.object({ versions: z.array(z.object({ version_id: z.string() })) });
const versionSchema = z.object({
  annotations: z.looseObject({ "workers/message": z.string().optional() }).optional(),
  resources: z.object({ bindings: z.array(bindingSchema).default([]) }),
});

export type DeployedWorker = {
  /** What `deployMessage` made, where this command deployed it. */
  readonly message: string;
  readonly bindings: readonly z.infer<typeof bindingSchema>[];
};

/** Null where no Worker has this name. A split deployment counts as its first version. */
export async function deployedWorker(wrangler: Wrangler, name: string): Promise<DeployedWorker | null> {
  const status = await wrangler("deployments", "status", "--name", name, "--json");
  if (status.status !== 0) {
    if (/code: (?:10007|10090)\]|has no deployments/.test(status.output)) return null;
    throw explain(`Looking for the Worker ${name}`, status.output);
  }
  const [version] = deploymentSchema.parse(JSON.parse(status.stdout)).versions;
  if (version === undefined) return null;
  const view = await wrangler("versions", "view", version.version_id, "--name", name, "--json");
  if (view.status !== 0) throw explain(`Looking at the Worker ${name}`, view.output);
  const { annotations, resources } = versionSchema.parse(JSON.parse(view.stdout));
  return { message: annotations?.["workers/message"] ?? "", bindings: resources.bindings };
}

const mark = "Countersign";

/** The message of a version that this command deploys. The digest tells whether anything changed since. */
export const deployMessage = (version: string, digest: string): string => `${mark} ${version}, ${digest.slice(0, 32)}`;

/** Whether it is Countersign's: this command deployed it, or it is a gateway by its objects. A secret that is set later takes the message away. */
export const isOurs = ({ message, bindings }: DeployedWorker): boolean =>
  message.startsWith(`${mark} `) ||
  bindings.some(({ name, class_name: className }) => name === "CONFIGURATION" && className === "ConfigObject");

/** The names of the secrets that a Worker has. Nobody can read their values. */
export const secretsOf = (worker: DeployedWorker | null): ReadonlySet<string> =>
  new Set((worker?.bindings ?? []).filter(({ type }) => type === "secret_text").map(({ name }) => name));

/** A plain variable's value; empty where it is not set. */
export const variableOf = (worker: DeployedWorker | null, name: string): string =>
  worker?.bindings.find((binding) => binding.name === name && binding.type === "plain_text")?.text ?? "";
