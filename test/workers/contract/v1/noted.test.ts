// What no model gets of a request: the review page says it, and the answer does.

import { expect, test } from "vitest";
import { everyKind, gates } from "../../support/control.ts";
import { configure, gateway, openNotice } from "../../support/gateway.ts";
import { decide, pathOf } from "../../support/reviewer.ts";
import { chatOf, inputOf, postV1 } from "../../support/v1.ts";

test.each([
  ["/chat/completions", chatOf("?", { seed: 1, "a name of the requestor's": 1 }), "seed, other"],
  ["/responses", inputOf("?", { user: "u", "a name of the requestor's": 1 }), "user, other"],
  ["/embeddings", { model: "vectors", input: "a", user: "u", "a name of the requestor's": 1 }, "user, other"],
])("%s", async (path, body, members) => {
  await gates({ request: "review" });
  await configure("routing", everyKind);
  const asked = postV1(path, body);
  const { link } = await openNotice("request");
  const page = await (await gateway(pathOf(link), { key: null })).text();
  expect(page).toContain(members);
  expect(page).not.toContain("a name of the requestor");
  await decide("request", "approve");
  const { countersign } = await (await asked).json<{ countersign: { notes: string[] } }>();
  expect(countersign.notes).toContain("Not passed on: /a name of the requestor's.");
});
