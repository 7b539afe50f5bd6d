// What every route's handler has: the environment, and the caller once a door has let them in.

import type { Context } from "hono";
import type { Env } from "../env.ts";
import type { KeyRecord } from "../stores/keys.ts";

export type App = { Bindings: Env; Variables: { key: KeyRecord } };
export type AppContext = Context<App>;
