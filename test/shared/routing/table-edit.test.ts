// Changes of one entry of a routing table: nothing else of it changes.

import { describe, expect, test } from "vitest";
import { defaultRoutingTable } from "../../../shared/routing/default-table.ts";
import { parseRoutingTable } from "../../../shared/routing/table.ts";
import {
  placeOfModel,
  standsInFor,
  withModel,
  withProvider,
  withoutModel,
  withoutProvider,
  writtenModel,
} from "../../../shared/routing/table-edit.ts";
import type { JsonObject } from "../../../shared/json-types.ts";

const table = {
  later: true,
  providers: { p: { kind: "demo" }, q: { kind: "demo", unknown: 1 } },
  models: [
    { id: "a", provider: "p", unknown: 2 },
    { id: "b", provider: "q" },
  ],
  equivalents: [
    { hint: "x", models: ["a"] },
    { hint: "y", models: ["b", "a"] },
  ],
} as JsonObject;

describe("a model", () => {
  test("is found, with its place and the hints that it stands in for", () => {
    expect(writtenModel(table, "a")).toEqual({ id: "a", provider: "p", unknown: 2 });
    expect(writtenModel(table, "c")).toBeNull();
    expect([placeOfModel(table, "b"), placeOfModel(table, null)]).toEqual([2, 3]);
    expect(standsInFor(table, "a")).toEqual(["x", "y"]);
  });

  test("changed as it was, leaves the table as it was", () => {
    const edit = { was: "a", place: 1, model: writtenModel(table, "a") ?? {}, standsInFor: ["x", "y"] };
    expect(withModel(table, edit)).toEqual(table);
    const whole = JSON.parse(JSON.stringify(defaultRoutingTable())) as JsonObject;
    for (const { id } of defaultRoutingTable().models)
      expect(
        withModel(whole, {
          was: id,
          place: placeOfModel(whole, id),
          model: writtenModel(whole, id) ?? {},
          standsInFor: standsInFor(whole, id),
        }),
      ).toEqual(whole);
  });

  test("is moved, renamed, and stands in for other hints", () => {
    expect(withModel(table, { was: "a", place: 9, model: { id: "c", provider: "p" }, standsInFor: ["y", "z"] })).toEqual({
      ...table,
      models: [
        { id: "b", provider: "q" },
        { id: "c", provider: "p" },
      ],
      equivalents: [
        { hint: "y", models: ["b", "c"] },
        { hint: "z", models: ["c"] },
      ],
    });
  });

  test("is added where it is wanted, and a second one of its id is left for the check to refuse", () => {
    const added = withModel(table, { was: null, place: 1, model: { id: "a", provider: "q" }, standsInFor: ["x", "y"] });
    expect(added["models"]).toEqual([{ id: "a", provider: "q" }, ...(table["models"] as [])]);
    expect(withModel({ providers: {}, models: [] }, { was: null, place: 1, model: { id: "a" }, standsInFor: [] })).toEqual({
      providers: {},
      models: [{ id: "a" }],
    });
  });

  test("is removed, and is no equivalent any more", () => {
    expect(withoutModel(table, "a")).toEqual({
      ...table,
      models: [{ id: "b", provider: "q" }],
      equivalents: [{ hint: "y", models: ["b"] }],
    });
    const left = defaultRoutingTable().models.reduce(
      (rest, { id }) => withoutModel(rest, id),
      JSON.parse(JSON.stringify(defaultRoutingTable())) as JsonObject,
    );
    expect(left).toMatchObject({ models: [], equivalents: [] });
    expect(parseRoutingTable(left).ok).toBe(true);
  });
});

describe("a provider", () => {
  test("is renamed in every model, added, and removed", () => {
    expect(withProvider(table, "q", "r", { kind: "demo" })).toMatchObject({
      providers: { p: { kind: "demo" }, r: { kind: "demo" } },
      models: [{ provider: "p" }, { provider: "r" }],
    });
    expect(withProvider(table, null, "r", { kind: "demo" })["providers"]).toEqual({
      ...(table["providers"] as object),
      r: { kind: "demo" },
    });
    expect(withoutProvider(table, "q")["providers"]).toEqual({ p: { kind: "demo" } });
  });
});
