// Builds the Workers once for all files of a run: see test-gateway.ts.

import type { V4WorkerOptions } from "miniflare";
import type { TestProject } from "vitest/node";
import { builtWorkers } from "../../../scripts/built-workers.ts";

declare module "vitest" {
  interface ProvidedContext {
    builtWorkers: V4WorkerOptions[];
  }
}

export default async function setup({ provide }: TestProject): Promise<void> {
  provide("builtWorkers", await builtWorkers());
}
