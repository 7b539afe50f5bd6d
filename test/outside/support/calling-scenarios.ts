// What each MCP client gets of a call that a person decides about: the same for all of them. The
// server counts the calls.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CallingClient } from "./calling-clients.ts";
import { decideByLink } from "./killable-gateway.ts";
import { type ModernServer, serveModern } from "./modern-server.ts";
import { type OldServer, serveOld } from "./old-server.ts";
import { openedReview } from "./opened-review.ts";
import { type RelayOffice, openGates, relayKey, relayOffice } from "./relay-office.ts";

/** Where the review of a call takes longer than the client waits. */
const clientTimeoutMs = 3_000;

export function callingScenarios(clients: readonly CallingClient[]): void {
  /** Holds a call for as long as by default. */
  let office: RelayOffice;
  /** Holds it for a second. */
  let brief: RelayOffice;
  let old: OldServer;
  let modern: ModernServer;
  const folder = mkdtempSync(join(tmpdir(), "countersign-clients-"));

  beforeAll(async () => {
    [office, brief, old, modern] = await Promise.all([
      relayOffice(),
      relayOffice({ RELAY_HOLD_SECONDS: "1" }),
      serveOld(),
      serveModern({ legacy: "reject" }),
    ]);
    const then = {
      request: "review",
      response: "allow",
      reviewers: ["everyone"],
      selfApproval: true,
      tellReason: true,
      deadlineSeconds: 600,
    };
    for (const each of [office, brief]) {
      await each.serve({ old: { url: old.url, allowPrivate: true }, modern: { url: modern.url, allowPrivate: true } });
      await each.rule({
        ...openGates,
        rules: [{ name: "asked", when: { subject: "toolCall" }, then }],
        reviewers: { everyone: [{ name: "Ada" }] },
      });
    }
  });
  afterAll(async () => {
    await Promise.all([office?.close(), brief?.close(), old?.close(), modern?.close()]);
    rmSync(folder, { recursive: true, force: true });
  });

  type Server = "old" | "modern";
  const tools = { old: ["plain", "question", "Plain."], modern: ["echo", "text", "the text"] } as const;

  /** What the client's host hands to its model: a result, or what it threw. */
  const call = (client: CallingClient, at: RelayOffice, server: Server, text: string, timeoutMs?: number): Promise<string> => {
    const [tool, name] = tools[server];
    const called = client.call({ url: at.relay(server), key: relayKey, tool, given: { [name]: text }, timeoutMs, folder });
    return called.catch((error: unknown) => String(error));
  };
  const callsOf = (text: string): number =>
    old.received.filter(({ message }) => message.method === "tools/call" && message.params?.arguments?.question === text).length +
    modern.received.filter(({ method, arguments: given }) => method === "tools/call" && JSON.stringify(given).includes(text)).length;
  const waits = "waits for a person";

  describe.each(clients.map((client) => [client.name, client] as const))("%s", (name, client) => {
    test.each<Server>(["old", "modern"])("gets the result of a call that a person approves, at the %s server", async (server) => {
      const text = `the text for ${name} at ${server}`;
      const { called, link } = await openedReview(office, () => call(client, office, server, text));
      expect(callsOf(text)).toBe(0);
      await decideByLink(link, "approve");
      expect(await called).toContain(tools[server][2]);
      expect(callsOf(text)).toBe(1);
    });

    test("hears that a person said no, and why", async () => {
      const text = `denied for ${name}`;
      const { called, link } = await openedReview(office, () => call(client, office, "old", text));
      await decideByLink(link, "deny", (fields) => fields.set("reason", "not on a Friday"));
      expect(await called).toContain("A person declined this call. It was not run. The reason: not on a Friday");
      expect(callsOf(text)).toBe(0);
    });

    test("gets the result once where the person takes longer than the call is held", async () => {
      const text = `held for ${name}`;
      const again = async (): Promise<string> => {
        for (;;) {
          const said = await call(client, brief, "old", text);
          if (!said.includes(waits)) return said;
        }
      };
      const { called, link } = await openedReview(brief, again);
      await decideByLink(link, "approve");
      expect(await called).toContain("Plain.");
      expect(callsOf(text)).toBe(1);
    });

    test("gives up, calls again, and gets the decision once", async () => {
      const text = `given up by ${name}`;
      const { called, link } = await openedReview(office, () => call(client, office, "old", text, clientTimeoutMs));
      expect(await called).not.toContain("Plain.");
      // Before a heartbeat could tell the gateway that its client has left.
      await decideByLink(link, "approve");
      expect(callsOf(text)).toBe(0);
      expect(await call(client, office, "old", text)).toContain("Plain.");
      expect(callsOf(text)).toBe(1);
    });
  });
}
