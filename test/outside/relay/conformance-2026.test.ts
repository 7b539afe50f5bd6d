// The official conformance suite of 2026-07-28 against a server directly and through the relay, scenario by scenario.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { conforming2026 } from "../support/conforming-2026.ts";
import { conformance2026Of, type Findings, requiredOf } from "../support/relay-conformance.ts";
import { serveStreaming, type StreamingServer } from "../support/relay-serve.ts";

let server: StreamingServer;
let required: string[];
let direct: Findings;

beforeAll(async () => {
  server = await serveStreaming(conforming2026());
  [required, direct] = await Promise.all([requiredOf("Server"), conformance2026Of(`${server.url}/mcp`)]);
});
afterAll(() => server?.close());

const fallen = (findings: Findings, scenarios: readonly string[]) =>
  scenarios.flatMap((scenario) =>
    (findings.get(scenario) ?? []).filter(({ status }) => status !== "SUCCESS" && status !== "INFO").map(({ id }) => `${scenario} ${id}`),
  );

describe("a conforming server", () => {
  test("passes every required scenario by itself, or this comparison would say nothing", () => {
    expect(required).toHaveLength(37);
    expect(required.filter((scenario) => !direct.has(scenario))).toEqual([]);
    expect(fallen(direct, required)).toEqual([]);
    // The suite does not score these: its own server cannot pass them.
    expect(fallen(direct, ["json-schema-2020-12", "http-header-validation", "http-custom-header-server-validation"])).toEqual([]);
  });

  test("has no tasks: SDK 2.4 has that extension for no server, and what it answers is compared all the same", () => {
    const extension = [...direct.keys()].filter((scenario) => scenario.startsWith("tasks-"));
    expect(extension).toHaveLength(10);
    expect(fallen(direct, extension).length).toBeGreaterThan(0);
  });
});
