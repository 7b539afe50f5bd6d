// What every route's handler has: the environment, and the caller once it is authenticated.

import type { Context } from "hono";
import type { Role } from "../../shared/credential/operator-roles.ts";
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
    /** What the operator may do. */
    role: Role;
    /** The ids of the JSON-RPC message in the body, once it is parsed. */
    ids: RefusedIds | undefined;
  };
};
export type AppContext = Context<App>;
