// What every file of tests inside workerd begins and ends with, and each of its tests. Files share
// runtimes, in which a module is loaded once: hooks that a module registered would be those of the
// first file alone.

import { afterAll, afterEach, aroundEach, beforeEach, vi } from "vitest";
import { resetIsolate } from "../../../workers/platform/isolate.ts";
import { backToNow } from "../objects/inside.ts";
import { beginTest, endFile, endTest } from "./gateway.ts";
import { asTest } from "./in-flight.ts";
import { disperseAll } from "./lane.ts";
import { loadMainOnce } from "./loaded-once.ts";
import { expectNoLeaks, hearLogs } from "./logs.ts";

loadMainOnce();
resetIsolate();
hearLogs();

aroundEach(asTest);

beforeEach(beginTest);

afterEach(async () => {
  // Where a test failed before it did: the files that follow in this runtime would wait for ever.
  vi.useRealTimers();
  backToNow();
  disperseAll();
  await endTest();
});

afterAll(async () => {
  await endFile();
  expectNoLeaks();
}, 60_000);
