// The bindings that wrangler.toml must have, those of the Workers beside the gateway apart: a
// project that upgrades keeps a file of its own.

import type { DoctorPhrase } from "../../shared/words/doctor.ts";
import type { Env } from "./env.ts";
import type { WorkerBeside } from "./workers-beside.ts";

/** What the environment always has, if wrangler.toml is that of this version. */
type Required = { [Name in keyof Env]-?: undefined extends Env[Name] ? never : Name }[keyof Env];

/** Each by its name: one that is missing here is a type error. */
const required: Record<Exclude<Required, WorkerBeside["binding"]>, true> = {
  CONFIG: true,
  SESSION: true,
  KEY: true,
  RUN: true,
  CONFIGURATION: true,
  LEDGER: true,
  CONCURRENCY_QUEUE: true,
  CACHE: true,
  DIGEST: true,
  CONVERSATION: true,
  INBOX: true,
  CALL: true,
  BRIDGE: true,
  BUDGET: true,
  STOP: true,
  TOOL_DEFINITIONS: true,
  OAUTH_STORE: true,
  ALERTS: true,
  FLOOD: true,
};

/** For health: the bindings that are missing; none where there are all. */
export function missingBindingIssues(env: Partial<Env>): DoctorPhrase[] {
  // Of an object's own names, TypeScript promises only text.
  const missing = (Object.keys(required) as (keyof typeof required)[]).filter((name) => env[name] === undefined);
  return missing.length === 0 ? [] : [{ key: "bindingsMissing", values: { n: missing.length, names: missing.join(", ") } }];
}
