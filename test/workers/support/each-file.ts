// What every file of tests inside workerd begins and ends with, and each of its tests.

import { afterAll, afterEach, aroundEach, beforeEach } from "vitest";
import { backToNow } from "../objects/inside.ts";
import { beginTest, endFile, endTest } from "./gateway.ts";
import { asTest } from "./in-flight.ts";
import { disperseAll } from "./lane.ts";
import { expectNoLeaks } from "./logs.ts";

aroundEach(asTest);

beforeEach(beginTest);

afterEach(async () => {
  backToNow();
  disperseAll();
  await endTest();
});

afterAll(async () => {
  await endFile();
  expectNoLeaks();
}, 60_000);
