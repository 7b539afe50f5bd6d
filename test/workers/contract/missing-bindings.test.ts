// A project that upgraded the Worker's package and kept its wrangler.toml: health names what the
// file lacks.

import { describe, expect, test } from "vitest";
import type { Env } from "../../../workers/platform/env.ts";
import { gateway, gatewayWith } from "../support/gateway.ts";

const without = async (...names: readonly (keyof Env)[]): Promise<{ readonly http: number; readonly health: unknown }> => {
  const response = await gatewayWith(Object.fromEntries(names.map((name) => [name, undefined])), "/healthz");
  return { http: response.status, health: await response.json() };
};

const lacks = (names: string): unknown =>
  expect.stringMatching(new RegExp(`^wrangler\\.toml lacks the bindings? ${names}, which this version uses`));

describe("health", () => {
  test("of a gateway that has every binding names none", async () => {
    expect(await (await gateway("/healthz", { key: null })).json()).toEqual({ status: "ok", problems: [] });
  });

  test.each([
    [["BUDGET"], "BUDGET"],
    [["STOP", "CALL"], "CALL, STOP"],
    [["FLOOD"], "FLOOD"],
  ] as const)("of one without %j names what is missing, and serves", async (names, named) => {
    expect(await without(...names)).toMatchObject({ http: 200, health: { status: "degraded", problems: [lacks(named)] } });
  });

  test("of one without the ConfigObject names it first", async () => {
    const { health } = await without("CONFIGURATION");
    expect(health).toMatchObject({ problems: expect.arrayContaining([lacks("CONFIGURATION")]) });
    expect(JSON.stringify(health)).not.toContain("LINK_KEY");
  });
});
