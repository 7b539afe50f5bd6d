// Builds the Workers once for all files of a run: see test-gateway.ts.

import type { V4WorkerOptions } from "miniflare";
import type { TestProject } from "vitest/node";
import { gatewayWorker, imagesWorker, pagesWorker, toolsWorker } from "../../support/built-workers.ts";

declare module "vitest" {
  interface ProvidedContext {
    builtWorkers: V4WorkerOptions[];
  }
}

export default function setup({ provide }: TestProject): void {
  provide("builtWorkers", [gatewayWorker(), imagesWorker(), toolsWorker(), pagesWorker()]);
}
