// What carries mail and webhooks, over real sockets: the time limit, redirects, and answers that
// are too long or never end.

import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { exchange } from "../../../workers/channels/channel-exchange.ts";
import { startMailServer } from "../../support/mail-server.ts";
import { serve } from "../../support/serve.ts";
import { createWebhookReceiver } from "../../support/webhook-receiver.ts";
import { Webhook } from "standardwebhooks";

const servers: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function listen(answer: (response: ServerResponse, path: string) => void): Promise<{ url: string; asked: string[]; server: Server }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    request.resume();
    answer(response, request.url ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  servers.push({
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, server };
}

const post = (url: string, options: Parameters<typeof exchange>[1] = {}) =>
  exchange({ url, method: "POST", headers: { Authorization: "Bearer secret" }, body: "{}" }, options);

describe("an exchange", () => {
  test("with somebody who never answers ends with its time, and leaves no connection open", async () => {
    const { url, server } = await listen(() => {});
    expect(await post(url, { timeoutMs: 100 })).toBeUndefined();
    await expect.poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))).toBe(0);
  });

  test("with somebody who begins an answer and never ends it does too", async () => {
    const { url } = await listen((response) => {
      response.writeHead(200);
      response.write('{"id":');
    });
    expect(await post(url, { timeoutMs: 200, readJson: true })).toBeUndefined();
  });

  test("whose body nobody wants is over with the status", async () => {
    const { url } = await listen((response) => {
      response.writeHead(200);
      response.write("and so on");
    });
    expect(await post(url)).toEqual({ status: 200, body: undefined });
  });

  test("reads no answer that is longer than any it expects", async () => {
    const { url } = await listen((response) => {
      response.writeHead(200);
      const more = (): void => void response.write("x".repeat(65_536), (error) => (error ? undefined : more()));
      more();
    });
    expect(await post(url, { readJson: true })).toEqual({ status: 200, body: undefined });
  });

  test.each([301, 302, 303, 307, 308])("follows no redirect %i, which could take the key elsewhere", async (status) => {
    const elsewhere = await listen((response) => response.end("{}"));
    const { url } = await listen((response) => response.writeHead(status, { Location: elsewhere.url }).end());
    expect(await post(url)).toMatchObject({ status });
    expect(elsewhere.asked).toEqual([]);
  });

  test("with nobody, or with somebody who hangs up, comes to nothing", async () => {
    const { url } = await listen((response) => response.socket?.destroy());
    expect(await post(url)).toBeUndefined();
    expect(await post("http://127.0.0.1:1")).toBeUndefined();
  });
});

test("the scripted mail API answers as documented behind a socket", async () => {
  const mail = await startMailServer();
  servers.push(mail);
  const send = (headers: Record<string, string>) =>
    exchange(
      { url: `${mail.url}/emails`, method: "POST", headers, body: '{"from":"a@b.example","to":["c@d.example"],"subject":"s","text":"t"}' },
      { readJson: true },
    );
  const key = { Authorization: `Bearer ${mail.keys.sending}`, "User-Agent": "countersign", "Idempotency-Key": "k" };
  const first = await send(key);
  expect(first).toMatchObject({ status: 200, body: { id: mail.taken[0]?.id } });
  expect(await send(key)).toEqual(first);
  expect(mail.taken).toHaveLength(1);
  expect(await send({ "User-Agent": "countersign" })).toMatchObject({ status: 401, body: { name: "missing_api_key" } });
  mail.script("disconnected");
  expect(await send(key)).toBeUndefined();
});

test("the receiver of webhooks verifies behind a socket", async () => {
  const secret = `whsec_${btoa("s".repeat(24))}`;
  const receiver = createWebhookReceiver(secret);
  const served = await serve(receiver.answer);
  servers.push(served);
  const send = (signature: string, at: Date) =>
    exchange({
      url: served.url,
      method: "POST",
      headers: { "webhook-id": "1", "webhook-timestamp": String(Math.floor(at.getTime() / 1000)), "webhook-signature": signature },
      body: '{"type":"review.asked"}',
    });
  const now = new Date();
  expect(await send(new Webhook(secret).sign("1", now, '{"type":"review.asked"}'), now)).toMatchObject({ status: 204 });
  expect(await send("v1,AAAA", now)).toMatchObject({ status: 401 });
  expect(receiver.taken).toHaveLength(1);
});
