// A real browser and the tiny server that shows it a page.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { chromium, type Browser } from "playwright-core";
import { chromiumPath } from "../support/chromium.ts";

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath ?? "",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });

/** Serves whatever `html` and `headers` hold right now, and keeps the body of the last POST. */
export async function servePage(): Promise<{
  url: string;
  html: string;
  headers: Record<string, string>;
  posted: string | undefined;
  /** What is answered to a POST. */
  readonly taken: string;
  close: () => Promise<void>;
}> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      if (request.method === "POST") {
        site.posted = Buffer.concat(parts).toString("utf8");
        response.writeHead(200, { "Content-Type": "text/plain" }).end(site.taken);
      } else
        response
          .writeHead(request.url === "/r/t" ? 200 : 404, { "Content-Type": "text/html; charset=utf-8", ...site.headers })
          .end(site.html);
    });
  });
  await new Promise<void>((done) => {
    server.listen(0, "127.0.0.1", done);
  });
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  const site = {
    url: `http://127.0.0.1:${port}/r/t`,
    html: "",
    headers: {} as Record<string, string>,
    posted: undefined as string | undefined,
    taken: "taken",
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  return site;
}
