import { expect, test } from "vitest";
import { chooseCandidates, whySentence } from "../../../shared/routing/choose.ts";
import { explainRouting } from "../../../shared/routing/explain.ts";
import { inputOf, noCredential, requestOf, tableOf } from "./examples.ts";

const table = tableOf(
  [{ id: "first" }, { id: "second", scores: { intelligence: 0.9, speed: 0.1, cost: 0.2 } }, { id: "third", enabled: false }],
  [{ hint: "big", models: ["second"] }],
);

test("an explanation says what choosing does, with tiers, sums and reasons", () => {
  const input = inputOf(table, {
    request: requestOf({ modelPreferences: { hints: [{ name: "big one" }, { name: "" }], costPriority: 0.5, intelligencePriority: 0.25 } }),
  });
  const explanation = explainRouting(input);
  expect(explanation).toMatchObject({
    tableVersion: 3,
    hints: ["big one"],
    hintsIgnored: 1,
    ranked: [
      {
        model: "second",
        provider: "alpha",
        place: 1,
        tier: { kind: "equivalent", hint: "big one", entry: "big" },
        score: 0.325,
        arithmetic: "cost 0.5 x 0.2 + intelligence 0.25 x 0.9",
      },
      { model: "first", place: 2, tier: { kind: "rest" }, score: 0.375 },
    ],
    passedOver: [{ model: "third", reason: "it is disabled", why: { key: "disabled" } }],
  });
  const chosen = chooseCandidates(input);
  expect(chosen.ok && chosen.value.ranked.map(({ model, why }) => [model.id, whySentence(why)])).toEqual(
    explanation.ranked.map(({ model, why }) => [model, why]),
  );
  expect(explanation.why).toBe(
    'second comes first with priorities for cost, intelligence. Matched "big one" through the alias "big". Score: cost 0.5 x 0.2 + intelligence 0.25 x 0.9 = 0.325. 1 more may take over if it fails; 1 passed over.',
  );
});

test("a request that nothing can serve is explained too", () => {
  const explanation = explainRouting(inputOf(table, { ready: noCredential }));
  expect(explanation.ranked).toEqual([]);
  expect(explanation.passedOver).toHaveLength(3);
  expect(explanation.why).toBe("No model in the routing table can serve this request.");
});
