// What every route's handler has: the environment, and the caller once a door has let them in.

import type { Context } from "hono";
import type { RefusedIds } from "../../shared/protocol/json-rpc.ts";
import type { Env } from "../env.ts";
import type { KeyRecord } from "../stores/keys.ts";

export type App = {
  Bindings: Env;
  Variables: {
    key: KeyRecord;
    /** Of the JSON-RPC message in the body, once it was read. */
    ids: RefusedIds | undefined;
  };
};
export type AppContext = Context<App>;
