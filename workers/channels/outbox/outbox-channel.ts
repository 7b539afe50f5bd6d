// The outbox: notices are listed with their links at /admin/notices, for whoever has the admin token. For one's own machine, or
// where OUTBOX=on. The list itself is the ledger's, which the RunObject writes for every channel.

import type { Channel } from "../channel.ts";

/** Reaches every reviewer: it needs no address, and has nothing to send. */
export const outboxChannel = (): Channel => ({
  name: "outbox",
  reaches: () => true,
  send: async () => ({ kind: "sent", receipt: null }),
  ended: async () => ({ kind: "sent", receipt: null }),
});
