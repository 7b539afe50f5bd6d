// What a client of each kind has of a server of each kind behind the command and a real gateway: a
// person answers the server's forms, and releases what its tools return.

import { afterAll, beforeAll, expect, test } from "vitest";
import { BIN } from "../stdio/wrapped.ts";
import { type CellClient, cellClientOverStdio } from "./cell-clients.ts";
import { decideByLink } from "./killable-gateway.ts";
import { openedReview } from "./opened-review.ts";
import { until } from "./raw-client.ts";
import { type RelayOffice, openGates, relayKey, relayOffice } from "./relay-office.ts";
import { type StdioCell, stdioServers } from "./stdio-cells.ts";

export function reviewedOverStdio(cells: readonly StdioCell[]): void {
  let office: RelayOffice;
  beforeAll(async () => {
    office = await relayOffice();
    const asked = { reviewers: ["everyone"], deadlineSeconds: 600 };
    const released = { request: "review", response: "review", selfApproval: true, ...asked };
    await office.rule({
      ...openGates,
      rules: [
        { name: "forms", when: { subject: "form" }, then: { request: "review", response: "allow", ...asked } },
        { name: "calls", when: { subject: "toolCall", tool: "delete" }, then: { ...released, response: "allow" } },
        { name: "trying", when: { subject: "toolCall", tool: "ask-two" }, then: { ...released, shadow: true } },
        { name: "results", when: { subject: "toolCall", tool: "ask" }, then: { ...released, request: "allow" } },
      ],
      reviewers: { everyone: [{ name: "Ada" }] },
    });
  });
  afterAll(() => office?.close());

  const connect = ([kind, server]: StdioCell, options: readonly string[]): Promise<CellClient> =>
    cellClientOverStdio(kind, {
      command: process.execPath,
      args: [BIN, "stdio", "--server", "cells", "--url", office.url, ...options, "--", process.execPath, ...stdioServers[server]],
      env: { PATH: process.env["PATH"] ?? "", COUNTERSIGN_API_KEY: relayKey },
    });

  test.each([...cells])("%s at a server of %s: a person answers the form, and the client is not asked", async (...cell) => {
    const client = await connect(cell, ["--elicitation", "fulfil"]);
    try {
      const { called, link } = await openedReview(office, () => client.call("ask-and-elicit", { question: "Right?" }));
      const sent = await decideByLink(link, "fill", (fields) => fields.set("edit:/content/confirm", "true"));
      expect(sent.status).toBe(303);
      const { text, isError } = await called;
      expect(isError).toBe(false);
      expect(JSON.parse(text)).toMatchObject({ action: "accept", content: { confirm: true } });
      expect(client.asked).toEqual([]);
    } finally {
      await client.close();
    }
  });

  const ending = cells.slice(0, 1).flatMap((cell) => ["delete", "ask"].map((tool) => [tool, cell] as const));
  test.each(ending)("a client that ends leaves no review of its call of %s behind", async (tool, cell) => {
    const client = await connect(cell, ["--review-calls"]);
    const { called, run } = await openedReview(office, () => client.call(tool, { question: "Then?" }));
    await client.close();
    await called.catch(() => {});
    const state = async () =>
      (await (await fetch(`${office.url}/runs/${run}`, { headers: { authorization: `Bearer ${relayKey}` } })).json()) as { status: string };
    await until("the end of its review", async () => (await state()).status === "cancelled");
  });

  test.each([...cells])("%s at a server of %s: a rule in shadow asks nobody about a call", async (...cell) => {
    const client = await connect(cell, ["--review-calls"]);
    try {
      const before = (await office.notices()).length;
      const { text, isError } = await client.call("ask-two", { question: "Shown?" });
      expect([isError, JSON.parse(text)]).toEqual([false, [expect.any(String), expect.any(String)]]);
      expect(await office.notices()).toHaveLength(before);
    } finally {
      await client.close();
    }
  });

  test.each([...cells])("%s at a server of %s: the client gets the result that a person released", async (...cell) => {
    const client = await connect(cell, ["--review-calls"]);
    try {
      const { called, link } = await openedReview(office, () => client.call("ask", { question: "What?" }));
      expect((await decideByLink(link, "approve", (fields) => fields.set("edit:/content/0/text", "Released."))).status).toBe(303);
      expect(await called).toEqual({ text: "Released.", isError: false });
      const again = await openedReview(office, () => client.call("ask", { question: "And?" }));
      expect((await decideByLink(again.link, "deny")).status).toBe(303);
      const { text, isError } = await again.called;
      expect(isError).toBe(true);
      expect(text).toContain("declined to release its result");
    } finally {
      await client.close();
    }
  });
}
