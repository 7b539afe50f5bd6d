// POST /admin/grants: an operator lets calls of a key, or at a server, pass without a review for a
// time.

import { beforeEach, expect, test } from "vitest";
import { approvalIn, askAbout, askApproval, deletion } from "../../support/approvals.ts";
import { admin, createKey, eventually, jsonBody, travel } from "../../support/gateway.ts";
import { grantList } from "../../support/grants.ts";
import { recordLines } from "../../support/record.ts";
import { decide } from "../../support/reviewer.ts";

beforeEach(() => askAbout());

const give = (body: object): Promise<Response> => admin("/grants", jsonBody("POST", body));
const hour = 3_600_000;

test("calls of its key pass for an hour, and the record has each use as a bypass", async () => {
  const given = await give({ key: "key_dev" });
  expect(given.status).toBe(201);
  const answer = await approvalIn(askApproval());
  expect(answer).toMatchObject({ decision: "approved" });
  const used = await eventually("the use", async () =>
    (await recordLines({ run: answer.id ?? "" })).map(({ fact }) => fact).find(({ kind }) => kind === "grantUsed"),
  );
  expect(used).toMatchObject({ gate: "request", bypass: true });
  expect(await grantList("state=live")).toMatchObject([{ bypass: true, key: "key_dev", scope: { kind: "key" } }]);
  expect((await recordLines()).filter(({ fact }) => fact.kind === "bypassGiven")).toHaveLength(1);
  await travel(hour);
  expect(await grantList("state=live")).toEqual([]);
  const asked = askApproval();
  await decide("request", "deny");
  expect(await approvalIn(asked)).toMatchObject({ decision: "denied" });
});

test("no call of another key or server passes, nor one that a rule refuses, nor any after it was ended", async () => {
  const other = await createKey();
  await give({ key: other.id });
  await give({ key: "key_dev", server: "another" });
  const asked = askApproval();
  await decide("request", "deny");
  expect(await approvalIn(asked)).toMatchObject({ decision: "denied" });
  await give({ server: deletion.server });
  await askAbout({ request: "refuse" });
  expect(await approvalIn(askApproval())).not.toMatchObject({ decision: "approved" });
  await askAbout();
  expect(await approvalIn(askApproval({ ...deletion, arguments: { path: "/tmp/b" } }))).toMatchObject({ decision: "approved" });
  for (const { id } of await grantList("state=live")) await admin(`/grants/${id}`, { method: "DELETE" });
  const again = askApproval({ ...deletion, arguments: { path: "/tmp/c" } });
  await decide("request", "deny");
  expect(await approvalIn(again)).toMatchObject({ decision: "denied" });
});

test("calls of one tool pass, and the record has the operator's reason", async () => {
  const reason = "the migration of this afternoon";
  const { server, tool } = deletion;
  expect((await give({ key: "key_dev", server, tool: "another", reason })).status).toBe(201);
  const asked = askApproval();
  await decide("request", "deny");
  expect(await approvalIn(asked)).toMatchObject({ decision: "denied" });
  await give({ key: "key_dev", server, tool, reason });
  expect(await approvalIn(askApproval({ ...deletion, arguments: { path: "/tmp/d" } }))).toMatchObject({ decision: "approved" });
  expect(await grantList("state=live")).toContainEqual(
    expect.objectContaining({ bypass: true, reason, scope: { kind: "tool", server, tool: { method: "tools/call", name: tool } } }),
  );
  const facts = (await recordLines()).map(({ fact }) => fact).filter(({ kind }) => kind === "bypassGiven");
  expect(facts).toContainEqual(expect.objectContaining({ server, tool, reason }));
});

test.each([
  [{}, 400],
  [{ key: "key_dev", tool: "delete" }, 400],
  [{ key: "key_dev", reason: "r".repeat(501) }, 400],
  [{ key: "key_dev", hours: 9 }, 400],
  [{ key: "key_dev", hours: 0 }, 400],
  [{ key: "key_none" }, 404],
])("is not given as %j", async (body, status) => {
  expect((await give(body)).status).toBe(status);
  expect(await grantList()).toEqual([]);
});
