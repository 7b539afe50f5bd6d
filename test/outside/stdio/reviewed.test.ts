// Clients of both SDKs at stdio servers of both, behind the command and a real gateway: a person
// answers the servers' forms, and releases what their tools return.

import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CellClient, type CellClientKind, cellClientOverStdio, cellClients } from "../support/cell-clients.ts";
import { decideByLink } from "../support/killable-gateway.ts";
import { openedReview } from "../support/opened-review.ts";
import { until } from "../support/raw-client.ts";
import { type RelayOffice, openGates, relayKey, relayOffice } from "../support/relay-office.ts";
import { BIN } from "./wrapped.ts";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const modern = at("../support/modern-stdio.ts");
const servers = {
  "SDK 1.x": [at("rounds-server-v1.ts")],
  "SDK 2.x": [modern],
  "SDK 2.x for 2026-07-28 alone": [modern, "--alone"],
} as const;

let office: RelayOffice;
beforeAll(async () => {
  office = await relayOffice();
  const asked = { reviewers: ["everyone"], deadlineSeconds: 600 };
  await office.rule({
    ...openGates,
    rules: [
      { name: "forms", when: { subject: "form" }, then: { request: "review", response: "allow", selfApproval: true, ...asked } },
      {
        name: "calls",
        when: { subject: "toolCall", tool: "delete" },
        then: { request: "review", response: "allow", selfApproval: true, ...asked },
      },
      { name: "results", when: { subject: "toolCall" }, then: { request: "allow", response: "review", selfApproval: true, ...asked } },
    ],
    reviewers: { everyone: [{ name: "Ada" }] },
  });
});
afterAll(() => office?.close());

const connect = (kind: CellClientKind, server: keyof typeof servers, options: readonly string[]): Promise<CellClient> =>
  cellClientOverStdio(kind, {
    command: process.execPath,
    args: [BIN, "stdio", "--server", "cells", "--url", office.url, ...options, "--", process.execPath, ...servers[server]],
    env: { PATH: process.env["PATH"] ?? "", COUNTERSIGN_API_KEY: relayKey },
  });

const cells = cellClients.flatMap((kind) => Object.keys(servers).map((server) => [kind, server as keyof typeof servers] as const)); // its own names

test.each(cells)("%s at a server of %s: a person answers the form, and the client is not asked", async (kind, server) => {
  const client = await connect(kind, server, ["--elicitation", "fulfil"]);
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

test.each(["delete", "ask"])("a client that ends leaves no review of its call of %s behind", async (tool) => {
  const client = await connect("SDK 1.x", "SDK 1.x", ["--review-calls"]);
  const { called, run } = await openedReview(office, () => client.call(tool, { question: "Then?" }));
  await client.close();
  await called.catch(() => {});
  const state = async () =>
    (await (await fetch(`${office.url}/runs/${run}`, { headers: { authorization: `Bearer ${relayKey}` } })).json()) as { status: string };
  await until("the end of its review", async () => (await state()).status === "cancelled");
});

test.each(cells)("%s at a server of %s: the client gets the result that a person released", async (kind, server) => {
  const client = await connect(kind, server, ["--review-calls"]);
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
