// What operators have stopped: all sampling, that of MCP servers, that of API keys. A stop is for
// now, and is taken back.

import type { StopScope } from "../model/call.ts";

/** `servers`: by name; `keys`: by id. */
export type Stops = { readonly everything: boolean; readonly servers: readonly string[]; readonly keys: readonly string[] };

/** One thing that an operator stops, or lets go on. */
export type Stop =
  | { readonly scope: "everything" }
  | { readonly scope: "server"; readonly server: string }
  | { readonly scope: "key"; readonly key: string };

/** Whether one of the stops is for a request of this server and key; the widest of them. */
export function stoppedBy({ everything, servers, keys }: Stops, of: { readonly server: string; readonly key: string }): StopScope | null {
  if (everything) return "everything";
  if (servers.includes(of.server)) return "server";
  return keys.includes(of.key) ? "key" : null;
}
