// Checks the Workers beside the gateway: whether each is bound and answers.

import type { Env } from "../platform/env.ts";
import { type WorkerBeside, deployOf, missingWorkerIssue, workersBeside } from "../platform/workers-beside.ts";
import { type Check, type Title, fix, good, guardedCall } from "./check.ts";

export async function workerChecks(env: Partial<Env>): Promise<readonly Check[]> {
  const checks = await Promise.all(
    workersBeside.map((each) => guardedCall({ key: "worker", values: { name: each.name } }, () => check(env, each))),
  );
  return checks.flat();
}

/** Every such Worker answers 404 to an HTTP request, which shows that it runs. */
async function check(env: Partial<Env>, worker: WorkerBeside): Promise<Check> {
  const { binding, name, without } = worker;
  const title: Title = { key: "worker", values: { name } };
  const bound = env[binding];
  if (bound === undefined) return fix(title, { key: "stop", values: { sentence: missingWorkerIssue(worker) } });
  const answer = await bound.fetch("https://worker.invalid/").catch(() => undefined);
  return answer?.status === 404
    ? good(title, "workerAnswers")
    : fix(title, { key: "workerSilent", values: { without: { key: without }, command: deployOf(worker) } });
}
