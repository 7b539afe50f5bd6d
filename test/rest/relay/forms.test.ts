// Clients of both SDKs without forms, at servers of both families that ask for a confirmation: a
// person gives it on the gateway's page, and the tool ends with it.

import { afterAll, beforeAll, expect, test } from "vitest";
import { type CellClientKind, cellClient, cellClients } from "../../outside/support/cell-clients.ts";
import { decideByLink } from "../../outside/support/killable-gateway.ts";
import { type ModernServer, serveModern } from "../../outside/support/modern-server.ts";
import { type OldServer, serveOld } from "../../outside/support/old-server.ts";
import { openedReview } from "../../outside/support/opened-review.ts";
import { type RelayOffice, openGates, relayKey, relayOffice } from "../../outside/support/relay-office.ts";

let office: RelayOffice;
let modern: ModernServer;
let old: OldServer;
beforeAll(async () => {
  [office, modern, old] = await Promise.all([relayOffice(), serveModern({ legacy: "reject" }), serveOld()]);
  const at = (url: string): object => ({ url, allowPrivate: true, elicitation: "fallback" });
  await office.serve({ modern: at(modern.url), old: at(old.url) });
  const then = { request: "review", response: "allow", reviewers: ["everyone"], deadlineSeconds: 600 };
  await office.rule({
    ...openGates,
    rules: [{ name: "asked", when: { subject: "form" }, then }],
    reviewers: { everyone: [{ name: "Ada" }] },
  });
});
afterAll(async () => {
  await Promise.all([office?.close(), modern?.close(), old?.close()]);
});

test.each(cellClients.flatMap((kind) => [[kind, "modern", "ask-and-elicit"] as const, [kind, "old", "elicit"] as const]))(
  "%s at the %s server: its call ends with what the person answered",
  async (kind: CellClientKind, server, tool) => {
    const client = await cellClient(kind, office.relay(server), { Authorization: `Bearer ${relayKey}` }, { declared: {} });
    try {
      const { called, link } = await openedReview(office, () => client.call(tool, { question: "Right?" }));
      const sent = await decideByLink(link, "fill", (fields) => fields.set("edit:/content/confirm", "true"));
      expect(sent.status).toBe(303);
      const { text, isError } = await called;
      expect(isError).toBe(false);
      expect(text).toContain("accept");
      expect(text).toMatch(/"confirm": ?true/);
      expect(client.asked).toEqual([]);
    } finally {
      await client.close();
    }
  },
);
