// The Workers beside the gateway, which its service bindings reach.

import type { Env } from "./env.ts";

export type WorkerBeside = {
  readonly binding: "IMAGES" | "TOOLS" | "PAGES";
  readonly name: string;
  /** What fails without it, as the end of a sentence. */
  readonly without: string;
  readonly config: string;
};

export const workersBeside: readonly WorkerBeside[] = [
  {
    binding: "IMAGES",
    name: "countersign-images",
    without: "requests with images are refused, and images in replies are left out",
    config: "workers/images/wrangler.toml",
  },
  { binding: "TOOLS", name: "countersign-tools", without: "no registered function can be called", config: "workers/tools/wrangler.toml" },
  {
    binding: "PAGES",
    name: "countersign-pages",
    without: "nobody can open a review, and no notice is sent",
    config: "workers/ui/wrangler.toml",
  },
];

/** What an operator can do about a binding that is missing. */
export const missingWorkerIssue = ({ binding, name, without, config }: WorkerBeside): string =>
  `The binding ${binding} is missing, so ${without}: run \`npx wrangler deploy --config ${config}\`, and deploy the gateway with the service ${name} as ${binding} in wrangler.toml`;

/** For health: each binding that is missing. */
export const missingWorkerIssues = (env: Partial<Env>): string[] =>
  workersBeside.filter(({ binding }) => env[binding] === undefined).map(missingWorkerIssue);
