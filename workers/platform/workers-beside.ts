// The Workers beside the gateway, which its service bindings reach.

import type { DoctorPhrase } from "../../shared/words/doctor.ts";
import type { Env } from "./env.ts";

export type WorkerBeside = {
  readonly binding: "IMAGES" | "TOOLS" | "PAGES" | "OAUTH";
  readonly name: string;
  /** What fails without it. */
  readonly without: "withoutImages" | "withoutTools" | "withoutPages" | "withoutOAuth";
  readonly config: string;
};

export const workersBeside: readonly WorkerBeside[] = [
  {
    binding: "IMAGES",
    name: "countersign-images",
    without: "withoutImages",
    config: "workers/images/wrangler.toml",
  },
  { binding: "TOOLS", name: "countersign-tools", without: "withoutTools", config: "workers/tools/wrangler.toml" },
  {
    binding: "PAGES",
    name: "countersign-pages",
    without: "withoutPages",
    config: "workers/ui/wrangler.toml",
  },
  { binding: "OAUTH", name: "countersign-oauth", without: "withoutOAuth", config: "workers/oauth/wrangler.toml" },
];

/** The command that deploys it. */
export const deployOf = ({ config }: WorkerBeside): string => `\`npx wrangler deploy --config ${config}\``;

/** What an operator can do about a binding that is missing. */
export const missingWorkerIssue = (worker: WorkerBeside): DoctorPhrase => {
  const { binding, name, without } = worker;
  return { key: "workerMissing", values: { binding, name, without: { key: without }, command: deployOf(worker) } };
};

/** For health: each binding that is missing. */
export const missingWorkerIssues = (env: Partial<Env>): DoctorPhrase[] =>
  workersBeside.filter(({ binding }) => env[binding] === undefined).map(missingWorkerIssue);
