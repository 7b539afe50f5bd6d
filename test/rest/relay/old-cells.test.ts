// Clients of both families at a server with sessions, through the relay: the same cases as in
// cells.test.ts.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type CellClient, cameBack, cellClient, cellClients } from "../../outside/support/cell-clients.ts";
import { decideByLink } from "../../outside/support/killable-gateway.ts";
import { type OldServer, serveOld } from "../../outside/support/old-server.ts";
import { openedReview } from "../../outside/support/opened-review.ts";
import { type RelayOffice, openGates, relayKey, relayOffice } from "../../outside/support/relay-office.ts";

const reply = "Hello from the scripted provider.";

let office: RelayOffice;
let server: OldServer;
beforeAll(async () => {
  [office, server] = await Promise.all([relayOffice({ RELAY_HOLD_SECONDS: "1", HEARTBEAT_SECONDS: "1" }), serveOld()]);
  await office.serve({ old: { url: server.url, allowPrivate: true } });
});
afterAll(async () => {
  await Promise.all([office?.close(), server?.close()]);
});

describe.each(cellClients)("a client of %s at a server with sessions", (kind) => {
  let client: CellClient;
  beforeAll(async () => {
    client = await cellClient(kind, office.relay("old"), { Authorization: `Bearer ${relayKey}` });
  });
  afterAll(() => client?.close());
  beforeEach(async () => {
    for (const list of [server.runs, server.answers]) list.length = 0;
    await office.rule(openGates);
  });

  test.each([
    ["plain", "Plain."],
    ["ask", reply],
    ["aside", reply],
    ["ask-image", reply],
    ["ask-two", JSON.stringify([reply, reply])],
    ["ask-five", JSON.stringify(Array(5).fill(reply))],
    ["ask-and-elicit", JSON.stringify({ reply, action: "accept", content: { confirm: true } })],
    ["ask-roots", JSON.stringify({ reply, roots: [{ uri: "file:///work" }] })],
  ])("%s ends with the reply, and nothing is sent twice", async (tool, said) => {
    expect(await client.call(tool, { question: `What of ${tool} and ${kind}?` })).toEqual({ text: said, isError: false });
    expect(server.runs).toEqual([tool]);
    expect(new Set(server.answers).size).toBe(server.answers.length);
  });

  test("a tool loop of three rounds, whose tools the model calls", async () => {
    const use = (city: string) => ({ answer: "reply", calls: [{ id: `call_${city}`, name: "weather", input: { city } }] }) as const;
    office.model.script(use("Bern"), use("Rome"));
    const { text, isError } = await client.call("ask-tools", { question: `Is it sunny, ${kind}?` });
    expect([isError, JSON.parse(text)]).toEqual([false, { round: 3, content: [{ type: "text", text: reply }] }]);
  });

  describe("under review", () => {
    const reviewed = (deadlineSeconds = 600): Promise<void> =>
      office.rule({
        ...openGates,
        rules: [{ name: "asked", when: {}, then: { request: "review", response: "allow", reviewers: ["everyone"], deadlineSeconds } }],
        reviewers: { everyone: [{ name: "Ada" }] },
      });

    test("approved with an edit: the model gets the edited prompt, the tool the reply", async () => {
      await reviewed();
      const before = client.legs();
      const { called, link } = await openedReview(office, () => client.call("ask", { question: `Edited for ${kind}` }));
      await cameBack(client, kind, before);
      await decideByLink(link, "approve", (fields) => {
        const field = [...fields.keys()].find((name) => fields.get(name) === `Edited for ${kind}`) ?? "";
        fields.set(field, "Rewritten by a person");
      });
      expect(await called).toEqual({ text: reply, isError: false });
      expect(JSON.stringify(office.model.requests.at(-1)?.body)).toContain("Rewritten by a person");
      expect(server.runs).toEqual(["ask"]);
    });

    // The server gets the error, and its SDK makes the tool's result of it.
    test("denied, and expired: the server hears it, and its tool says so", async () => {
      await reviewed();
      const { called, link } = await openedReview(office, () => client.call("ask", { question: `Denied for ${kind}` }));
      await decideByLink(link, "deny");
      expect(await called).toMatchObject({ text: expect.stringContaining("User rejected sampling request") as string, isError: true });
      await reviewed(5);
      expect(await client.call("ask", { question: `Expired for ${kind}` })).toMatchObject({
        text: expect.stringContaining("nobody decided in time") as string,
        isError: true,
      });
    });
  });
});
