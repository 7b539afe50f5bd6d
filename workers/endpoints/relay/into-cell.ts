// A message on its way into the cell of its client's and its server's family.

import { isStateless } from "../../../shared/wire/mcp-2026/stateless-request.ts";
import type { AppContext } from "../app-context.ts";
import type { WatchedRelayRequest } from "./relay-request.ts";
import { type PostedMessage, postInSession } from "./sessions/session-relay.ts";
import { postStateless } from "./stateless/stateless-relay.ts";

export const intoCell = (c: AppContext, relay: WatchedRelayRequest, message: PostedMessage): Promise<Response> =>
  isStateless(message.value, c.req.raw.headers) ? postStateless(c, relay, message) : postInSession(c, relay, message);
