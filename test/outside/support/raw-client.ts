// A client at the relay's endpoint without an SDK: every byte of what it sends and gets can be
// looked at.

import { relayKey } from "./relay-office.ts";

export type RawClient = {
  readonly session: string;
  readonly post: (message: unknown, signal?: AbortSignal) => Promise<Response>;
  /** A `tools/call` with this id. */
  readonly call: (id: string | number, signal?: AbortSignal, more?: object) => Promise<Response>;
  readonly cancel: (id: string | number) => Promise<Response>;
  readonly listen: (lastEventId?: string, signal?: AbortSignal) => Promise<Response>;
  readonly end: () => Promise<Response>;
};

/**
 * Every response of a client: one that a test does not read would be closed when garbage is
 * collected, as if the client had left.
 */
const kept: Response[] = [];
const keep = async (answer: Promise<Response>): Promise<Response> => {
  kept.push(await answer);
  return answer;
};

/** Begins a session at this URL of the relay. */
export async function rawClient(url: string, options: { key?: string; capabilities?: object; revision?: string } = {}): Promise<RawClient> {
  const { key = relayKey, capabilities = {}, revision = "2025-11-25" } = options;
  const headers: Record<string, string> = {
    Authorization: `Bearer ${key}`,
    Accept: "application/json, text/event-stream",
    "Content-Type": "application/json",
  };
  const post = (message: unknown, signal?: AbortSignal): Promise<Response> =>
    keep(fetch(url, { method: "POST", headers, body: JSON.stringify(message), ...(signal === undefined ? {} : { signal }) }));
  const params = { protocolVersion: revision, capabilities, clientInfo: { name: "raw", version: "1" } };
  const begun = await post({ jsonrpc: "2.0", id: "init", method: "initialize", params });
  const session = begun.headers.get("Mcp-Session-Id");
  if (session === null) throw new Error(`no session: ${begun.status} ${await begun.text()}`);
  await begun.text();
  headers["Mcp-Session-Id"] = session;
  return {
    session,
    post,
    call: (id, signal, more = {}) =>
      post({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "tool", arguments: {}, ...more } }, signal),
    cancel: (id) => post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } }),
    listen: (last, signal) =>
      keep(
        fetch(url, {
          headers: { ...headers, ...(last === undefined ? {} : { "Last-Event-ID": last }) },
          ...(signal === undefined ? {} : { signal }),
        }),
      ),
    end: () => fetch(url, { method: "DELETE", headers }),
  };
}

/** Looks again and again, for at most a minute. */
export async function until<T>(what: string, look: () => Promise<T | null | undefined | false> | T | null | undefined | false): Promise<T> {
  for (let tries = 0; tries < 1_200; tries += 1) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`never seen: ${what}`);
}
