// An MCP client in a web page, in a real browser: it may use the relay where the server's entry
// lists its origin, and nowhere else.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launch, servePage } from "../../outside/pages/browser.ts";
import { chromiumPath } from "../../outside/support/chromium.ts";
import { matrixEndpoint } from "../../outside/support/relay-matrix.ts";
import { type RelayOffice, relayKey, relayOffice } from "../../outside/support/relay-office.ts";
import { serveStreaming, type StreamingServer } from "../../outside/support/relay-serve.ts";

type Site = Awaited<ReturnType<typeof servePage>>;
/** What the page's script saw, in the order of its requests; or that the browser did not let it. */
type Seen = { readonly status: number; readonly session: boolean; readonly text: string }[] | "not allowed";

describe.skipIf(chromiumPath === undefined)("a client in a browser", () => {
  let browser: Browser;
  let office: RelayOffice;
  let server: StreamingServer;
  const sites: Site[] = [];

  beforeAll(async () => {
    sites.push(await servePage(), await servePage());
    for (const site of sites) site.html = "<!doctype html><title>A client</title>";
    [browser, office, server] = await Promise.all([
      launch(),
      relayOffice(),
      serveStreaming(matrixEndpoint({ sdk: 1, stateful: true, json: false }).endpoint),
    ]);
    await office.serve({ pages: { url: `${server.url}/mcp`, allowPrivate: true, origins: [new URL(sites[0]?.url ?? "").origin] } });
  });
  afterAll(async () => {
    await browser?.close();
    await office?.close();
    await server?.close();
    await Promise.all(sites.map((site) => site.close()));
  });

  /** Begins a session from a page of this site, calls a tool in it and ends it. */
  const use = async (site: Site | undefined, key: string): Promise<Seen> => {
    const page = await browser.newPage();
    try {
      await page.goto(site?.url ?? "");
      return await page.evaluate(
        async ([url, apiKey]) => {
          const seen: { status: number; session: boolean; text: string }[] = [];
          let session: string | null = null;
          const ask = async (method: string, message?: object): Promise<void> => {
            const answer: Response = await fetch(url, {
              method,
              headers: {
                Authorization: `Bearer ${apiKey}`,
                "Content-Type": "application/json",
                Accept: "application/json, text/event-stream",
                ...(session === null ? {} : { "Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-06-18" }),
              },
              ...(message === undefined ? {} : { body: JSON.stringify({ jsonrpc: "2.0", ...message }) }),
            });
            session ??= answer.headers.get("Mcp-Session-Id");
            seen.push({ status: answer.status, session: session !== null, text: await answer.text() });
          };
          try {
            const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "page", version: "1" } };
            await ask("POST", { id: 1, method: "initialize", params });
            await ask("POST", { method: "notifications/initialized" });
            await ask("POST", { id: 2, method: "tools/call", params: { name: "ask", arguments: { question: "What is new?" } } });
            await ask("DELETE");
            return seen;
          } catch {
            return "not allowed" as const;
          }
        },
        [office.relay("pages"), key] as const,
      );
    } finally {
      await page.close();
    }
  };

  test("works from a listed origin, sampling included", async () => {
    const seen = await use(sites[0], relayKey);
    expect(seen).toEqual([
      { status: 200, session: true, text: expect.stringContaining("protocolVersion") },
      { status: 202, session: true, text: "" },
      { status: 200, session: true, text: expect.stringContaining("Hello from the scripted provider.") },
      { status: 200, session: true, text: "" },
    ]);
  });

  test("learns from a listed origin that its key is wrong", async () => {
    expect(await use(sites[0], "no-key")).toMatchObject([{ status: 401 }, { status: 401 }, { status: 401 }, { status: 401 }]);
  });

  test("does not work from any other origin", async () => {
    const asked = office.model.requests.length;
    expect(await use(sites[1], relayKey)).toBe("not allowed");
    expect(office.model.requests).toHaveLength(asked);
  });
});
