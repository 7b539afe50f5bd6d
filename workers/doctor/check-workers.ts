// Checks the Workers beside the gateway: whether each is bound and answers.

import type { Env } from "../platform/env.ts";
import { type WorkerBeside, missingWorkerIssue, workersBeside } from "../platform/workers-beside.ts";
import { type Check, fix, good, guardedCall } from "./check.ts";

export async function workerChecks(env: Partial<Env>): Promise<readonly Check[]> {
  const checks = await Promise.all(workersBeside.map((each) => guardedCall(`worker ${each.name}`, () => check(env, each))));
  return checks.flat();
}

/** Every such Worker answers 404 to an HTTP request, which shows that it runs. */
async function check(env: Partial<Env>, worker: WorkerBeside): Promise<Check> {
  const { binding, name, without, config } = worker;
  const title = `worker ${name}`;
  const bound = env[binding];
  if (bound === undefined) return fix(title, `${missingWorkerIssue(worker)}.`);
  const answer = await bound.fetch("https://worker.invalid/").catch(() => undefined);
  return answer?.status === 404
    ? good(title, "It is bound and answers.")
    : fix(title, `It does not answer, so ${without}: run \`npx wrangler deploy --config ${config}\`.`);
}
