// The reference server's tools as functions of the control endpoint, with real processes and a
// person at a browser: what they approve is what is called, once, also where the gateway is killed
// in the middle.

import { createServer, request as forward, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { editField } from "../../../shared/review/form.ts";
import { launch } from "../../outside/pages/browser.ts";
import { chromiumPath } from "../../outside/support/chromium.ts";
import { decideByLink } from "../../outside/support/killable-gateway.ts";
import { eventually } from "../../outside/support/program.ts";
import { type ModernServer, serveModern } from "../../outside/support/modern-server.ts";
import { type Everything, startEverything } from "../../outside/support/relay-everything.ts";
import { type RelayOffice, openGates, relayKey, relayOffice } from "../../outside/support/relay-office.ts";

/**
 * Before the server: passes everything on as it is, and keeps the arguments of each call of a tool.
 */
type Counter = { readonly url: string; readonly called: unknown[]; readonly close: () => void };

async function counterBefore(target: string): Promise<Counter> {
  const called: unknown[] = [];
  const server: Server = createServer((incoming, outgoing) => {
    const parts: Buffer[] = [];
    incoming.on("data", (part: Buffer) => parts.push(part));
    incoming.on("end", () => {
      const body = Buffer.concat(parts);
      const message = body.length === 0 ? {} : (JSON.parse(body.toString()) as { method?: string; params?: { arguments?: unknown } });
      if (message.method === "tools/call") called.push(message.params?.arguments);
      const { host: _host, ...headers } = incoming.headers;
      const onward = forward(target, { method: incoming.method ?? "POST", headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      onward.on("error", () => outgoing.destroy());
      onward.end(body);
    });
  });
  await new Promise<void>((done) => {
    server.listen(0, "127.0.0.1", done);
  });
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  return { url: `http://127.0.0.1:${port}/mcp`, called, close: () => (server.closeAllConnections(), void server.close()) };
}

type Answer = {
  readonly status: string;
  readonly edited?: object;
  readonly result?: { readonly calls: readonly object[] };
  readonly error?: {
    readonly details?: { readonly attempts?: readonly { readonly detail?: string }[]; readonly errors?: readonly object[] };
  };
};

const gate = {
  rules: [],
  default: { request: "review", response: "allow", reviewers: ["everyone"], deadlineSeconds: 600 },
  reviewers: { everyone: [{ name: "Ada" }] },
};

let everything: Everything;
let counter: Counter;
let modern: ModernServer;
let office: RelayOffice;
let requests = 0;

beforeAll(async () => {
  [everything, modern, office] = await Promise.all([startEverything(), serveModern({ legacy: "reject" }), relayOffice()]);
  counter = await counterBefore(everything.url);
  await office.serve({
    modern: { url: modern.url, allowPrivate: true, functions: ["region", "ask"] },
    everything: { url: counter.url, allowPrivate: true, functions: ["get-sum", "echo", "trigger-long-running-operation"] },
  });
});
afterAll(async () => {
  await office?.close();
  counter?.close();
  everything?.close();
  await modern?.close();
});
beforeEach(async () => {
  counter.called.length = 0;
  await office.rule(gate);
});

const envelopeOf = (name: string, parameters: object): object => {
  requests += 1;
  return {
    protocol_version: "2.1",
    request_id: `outside-${requests}`,
    model: { name: "scripted" },
    task: { type: "function_call", parameters: { function_call: { name, parameters } } },
    control: { timeout: 60_000 },
  };
};

async function post(envelope: object): Promise<Answer> {
  const answer = await fetch(`${office.url}/control`, {
    method: "POST",
    body: JSON.stringify(envelope),
    headers: { Authorization: `Bearer ${relayKey}`, "Content-Type": "application/json" },
  });
  return (await answer.json()) as Answer;
}

test("is called with what a person approved by their link, and its result comes back", async () => {
  const answer = post(envelopeOf("get-sum", { a: 2, b: 40 }));
  const { link } = await office.review("request");
  expect(counter.called).toEqual([]);
  await decideByLink(link ?? "", "approve");
  expect(await answer).toMatchObject({
    status: "completed",
    result: {
      calls: [{ name: "get-sum", status: "executed", content: [{ type: "text", text: expect.stringContaining("42") }], is_error: false }],
    },
  });
  expect(counter.called).toEqual([{ a: 2, b: 40 }]);
});

test("is not called where a person denies, or with arguments that the server's own schema refuses", async () => {
  const denied = post(envelopeOf("echo", { message: "no" }));
  const { link } = await office.review("request");
  await decideByLink(link ?? "", "deny");
  expect((await denied).status).toBe("rejected");
  const wrong = await post(envelopeOf("get-sum", { a: "two", b: 40 }));
  expect(wrong).toMatchObject({
    status: "invalid",
    error: { details: { errors: [{ pointer: "/task/parameters/function_call/parameters/a" }] } },
  });
  expect(counter.called).toEqual([]);
});

test("is called once, whatever happens: the gateway is killed while it runs, and a repeat is told that nobody knows", async () => {
  await office.rule(openGates);
  const envelope = envelopeOf("everything/trigger-long-running-operation", { duration: 20, steps: 2 });
  const first = post(envelope).catch(() => null);
  await eventually("the call", () => counter.called.length === 1);
  await office.kill();
  expect(await first).toBeNull();
  await office.start();
  const again = await post(envelope);
  expect(again).toMatchObject({ status: "failed", error: { details: { attempts: [{ detail: "outcomeUnknown" }] } } });
  expect(await post(envelope)).toEqual(again);
  expect(counter.called).toHaveLength(1);
});

test("is called at a server of 2026-07-28, with the header that its schema wants; one that asks for input ends with an error", async () => {
  await office.rule(openGates);
  const called = () => modern.received.filter(({ method }) => method === "tools/call");
  expect(await post(envelopeOf("region", { region: "eu-west" }))).toMatchObject({
    status: "completed",
    result: { calls: [{ name: "region", content: [{ type: "text", text: "eu-west" }], is_error: false }] },
  });
  expect(called().map(({ headers }) => headers["mcp-param-region"])).toEqual(["eu-west"]);
  // The session of a function offers its server nothing, so that the server refuses to ask; see the
  // SDK's `inputRequired`.
  expect((await post(envelopeOf("ask", { question: "May I?" }))).status).toBe("failed");
  expect(called()).toHaveLength(2);
});

describe.skipIf(chromiumPath === undefined)("with a person at a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  test("they read the server, the tool and the arguments, change these, and the server gets the changed ones", async () => {
    const answer = post(envelopeOf("echo", { message: "as it was asked" }));
    const { link } = await office.review("request");
    const page = await browser.newPage();
    await page.goto(link ?? "");
    const shown = await page.locator("main").innerText();
    for (const text of ["everything", "echo"]) expect(shown).toContain(text);
    const named = `[name="${editField("/arguments/message")}"]`;
    await page.locator(`details:has(${named}) > summary`).first().click();
    const field = page.locator(named);
    expect(await field.inputValue()).toBe("as it was asked");
    await field.fill("as Ada left it");
    // The page's script shows the change and counts it on the button; an approval counts after a
    // person's second.
    await page.waitForTimeout(1_100);
    await page.getByRole("button", { name: / with 1 change$/ }).click();
    await page.locator("section.outcome").waitFor();
    expect(await answer).toMatchObject({
      status: "completed",
      edited: { request: true, response: false },
      result: {
        calls: [
          { arguments: { message: "as Ada left it" }, status: "executed", content: [{ text: expect.stringContaining("as Ada left it") }] },
        ],
      },
    });
    expect(counter.called).toEqual([{ message: "as Ada left it" }]);
  });
});
