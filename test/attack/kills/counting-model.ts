// A provider that counts: each call has a reply of its own and a time, and takes as long as the
// seed says.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Paid } from "./history.ts";
import type { Random } from "./random.ts";

export type CountingModel = { readonly openaiUrl: string; readonly paid: Paid[]; readonly close: () => Promise<void> };

/** How a question stands in a prompt. */
export const questionIn = (text: string): string => /Q-\d+-[a-z-]+/.exec(text)?.[0] ?? "";

const delaysMs = [0, 0, 20, 120, 300, 600] as const;

export async function startCountingModel(random: Random): Promise<CountingModel> {
  const paid: Paid[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const question = questionIn(Buffer.concat(chunks).toString("utf8"));
      const reply = `reply ${paid.length + 1} to ${question}.`;
      paid.push({ question, at: Date.now(), reply });
      const body = {
        id: "c",
        object: "chat.completion",
        created: 1,
        model: "counting",
        choices: [{ index: 0, message: { role: "assistant", content: reply }, finish_reason: "stop" }],
        usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
      };
      setTimeout(() => response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body)), random.pick(delaysMs));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    openaiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, // It listens on TCP.
    paid,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
