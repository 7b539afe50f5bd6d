// What every route's handler has: the environment, and the caller once they were let in.

import type { Context } from "hono";
import type { Operator } from "../../shared/record/record.ts";
import type { RefusedIds } from "../../shared/wire/json-rpc.ts";
import type { Env } from "../platform/env.ts";
import type { KeyRecord } from "../stores/keys.ts";

export type App = {
  Bindings: Env;
  Variables: {
    key: KeyRecord;
    /** Who acts, under `/admin/`. */
    operator: Operator;
    /** Of the JSON-RPC message in the body, once it was read. */
    ids: RefusedIds | undefined;
  };
};
export type AppContext = Context<App>;
