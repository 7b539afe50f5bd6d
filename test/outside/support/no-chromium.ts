// At the end of a run without a browser: one line that says how many tests that left out. It is no
// test and passes nothing.

import type { TestProject } from "vitest/node";
import { chromiumPath } from "./chromium.ts";

export default function setup({ vitest }: TestProject): (() => void) | undefined {
  if (chromiumPath !== undefined) return undefined;
  return () => {
    const modules = vitest.state.getTestModules();
    const left = modules.flatMap((module) => [...module.children.allTests("skipped")]).filter(({ fullName }) => /browser/.test(fullName));
    if (left.length === 0) return;
    console.log(
      `no Chromium found: ${left.length} browser tests were not run; install it with apt-get install chromium-headless-shell, or set CHROMIUM_PATH`,
    );
  };
}
