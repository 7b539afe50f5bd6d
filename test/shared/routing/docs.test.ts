// What `docs/routing.md` says is what the code does.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { IssueCollector } from "../../../shared/json/issue-collector.ts";
import { modelPreferences as preferencesField } from "../../../shared/model/sampling.ts";
import { chooseCandidates } from "../../../shared/routing/choose.ts";
import { defaultRoutingTable } from "../../../shared/routing/default-table.ts";
import { parseRoutingTable, routingJsonSchema } from "../../../shared/routing/table.ts";
import { inputOf, noCredential, requestOf } from "./examples.ts";

const text = readFileSync(new URL("../../../docs/routing.md", import.meta.url), "utf8");
const blocks = [...text.matchAll(/^```json\n([^]*?)^```/gm)].map(([, block]) => block ?? "");
const rowsUnder = (heading: string): string[][] =>
  (text.split(heading)[1]?.split(/\n#+ |\n\n[A-Z*]/)[0] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim().replaceAll("`", "")),
    );

test("every example is a table that is accepted", () => {
  expect(blocks.length).toBeGreaterThanOrEqual(1);
  for (const block of blocks) expect(parseRoutingTable(JSON.parse(block))).toMatchObject({ ok: true });
});

test("the small table chooses as the text says", () => {
  const parsed = parseRoutingTable(JSON.parse(blocks[0] ?? ""));
  if (!parsed.ok) throw new Error("not accepted");
  const chosen = chooseCandidates(inputOf(parsed.value, { request: requestOf({ modelPreferences: { hints: [{ name: "gpt-4" }] } }) }));
  expect(chosen.ok && chosen.value.ranked.map(({ model }) => model.id)).toEqual(["claude-sonnet-5-5", "local"]);
});

describe("with the default table", () => {
  const rows = [
    ...(text.split("### With the default table")[1]?.split("## Fields")[0] ?? "").matchAll(/^\| `(\{.*\})` \| `([^`]+)` \|$/gm),
  ];
  test("there are rows", () => expect(rows.length).toBeGreaterThanOrEqual(8));
  test.each(rows.map(([, preferences, first]) => [preferences ?? "", first ?? ""]))("%s leads to %s", (preferences, first) => {
    const issues = new IssueCollector();
    const modelPreferences = preferencesField.read(JSON.parse(preferences), "", issues);
    expect(issues.found).toEqual([]);
    const input = inputOf(defaultRoutingTable(), {
      request: requestOf({ modelPreferences }),
      ready: (provider, name) =>
        provider.kind === "demo" || ["anthropic", "openai", "google"].includes(name) ? undefined : noCredential(),
    });
    const chosen = chooseCandidates(input);
    expect(chosen.ok && chosen.value.ranked[0]?.model.id).toBe(first);
  });
});

test("the list of default models is the default table", () => {
  const [, listed = ""] = /## The default table\n\n[^:]*:\n([^]*?)\.\n\n/.exec(text) ?? [];
  expect([...listed.matchAll(/`([^`]+)`/g)].map(([, id]) => id)).toEqual(defaultRoutingTable().models.map(({ id }) => id));
});

test("every field of the schema is described, and nothing else", () => {
  const schema = z
    .object({
      properties: z.object({
        providers: z.object({ additionalProperties: z.object({ properties: z.record(z.string(), z.unknown()) }) }),
        models: z.object({ items: z.object({ properties: z.record(z.string(), z.unknown()) }) }),
      }),
    })
    .parse(routingJsonSchema());
  expect(
    rowsUnder("### Providers")
      .map(([name]) => name)
      .toSorted(),
  ).toEqual(Object.keys(schema.properties.providers.additionalProperties.properties).toSorted());
  expect(
    rowsUnder("### Models")
      .map(([name]) => name)
      .toSorted(),
  ).toEqual(Object.keys(schema.properties.models.items.properties).toSorted());
});

test("the defaults of a model are those that are described", () => {
  const parsed = parseRoutingTable({
    providers: { p: { kind: "demo" } },
    models: [
      {
        id: "m",
        provider: "p",
        name: "m",
        contextTokens: 1,
        maxOutputTokens: 1,
        price: { inputPerMTok: 0, outputPerMTok: 0 },
        scores: { intelligence: 0, speed: 0, cost: 0 },
      },
    ],
  });
  const model = new Map<string, unknown>(Object.entries((parsed.ok && parsed.value.models[0]) || {}));
  const described = rowsUnder("### Models").filter(([, value]) => /^["[]|^(true|false)$/.test(value ?? ""));
  expect(described.length).toBeGreaterThanOrEqual(10);
  for (const [name = "", value = ""] of described) expect([name, model.get(name)]).toEqual([name, JSON.parse(value)]);
});
