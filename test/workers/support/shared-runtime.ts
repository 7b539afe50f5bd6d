// What keeps test files apart that share a runtime: to start workerd and to hand it every module took longer than most files' tests.
//
// Each file has modules of its own, evaluated anew from the text that the runtime has already, and leaves nothing mocked. What a file
// before it stored is gone with the first hook of gateway.ts, through which all go that reach an object.

import { afterAll, vi } from "vitest";

vi.resetModules();

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});
