// What the parts about the console begin with: lines of the gateway's own in every shard of the ledger, and an operator who is signed in.

import { adminToken } from "./gateway-on-workerd.ts";
import { isFailed, open } from "./load.ts";
import { sampling } from "./sampling-load.ts";

export type ConsoleSession = { readonly cookie: string; /** The path of its pages. */ readonly home: string };

/** The session of an operator who signed in by the admin token. */
export async function signIn(port: number): Promise<ConsoleSession> {
  const base = `http://127.0.0.1:${port}/console`;
  const form = await (await fetch(base)).text();
  const session = /name="session" value="([^"]+)"/.exec(form)?.[1] ?? "";
  const answer = await fetch(`${base}/sign-in`, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: `http://127.0.0.1:${port}` },
    body: new URLSearchParams({ session, token: adminToken }),
  });
  const [cookie, home] = [answer.headers.get("Set-Cookie")?.split(";")[0], answer.headers.get("Location")];
  if (cookie === undefined || home === null) throw new Error(`the console did not let the operator in: ${answer.status}`);
  return { cookie, home };
}

/** Every shard gets a line of the gateway's own, once this returns. */
export async function sendOwn(port: number, count: number): Promise<void> {
  const exchange = await open(port);
  for (let sent = 0; sent < count; sent += 1) {
    const { text } = await exchange.send(sampling(0));
    if (isFailed(text)) throw new Error(`a request was answered with ${text.slice(0, 300)}`);
  }
  exchange.close();
  // The record is written after the responses.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
}
