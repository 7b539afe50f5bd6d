// The scripted Slack on a real socket, for what runs in a process of its own.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ScriptedSlack } from "./slack/scripted-slack.ts";

export type SlackServer = {
  /** For SLACK_API_URL. */
  readonly apiUrl: string;
  /** For SLACK_WEBHOOK_URL. */
  readonly webhookUrl: string;
  readonly close: () => Promise<void>;
};

export async function startSlackServer(slack: ScriptedSlack): Promise<SlackServer> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const headers = new Headers();
      for (const [name, value] of Object.entries(request.headers)) if (typeof value === "string") headers.set(name, value);
      const made = new Request(`http://127.0.0.1${request.url ?? "/"}`, { method: "POST", headers, body: Buffer.concat(chunks) });
      slack
        .handle(made)
        .then(async (answer) => {
          response.writeHead(answer.status, Object.fromEntries(answer.headers));
          response.end(Buffer.from(await answer.arrayBuffer()));
        })
        .catch(() => response.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // a TCP server has a port
  return {
    apiUrl: `http://127.0.0.1:${port}/api/`,
    webhookUrl: `http://127.0.0.1:${port}/services/T/B/X`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
