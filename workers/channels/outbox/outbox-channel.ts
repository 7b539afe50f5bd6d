// The outbox: notices are listed with their links at /admin/notices, for operators. For a local
// gateway, or where OUTBOX=on. The list is the ledger's, which the RunObject writes for every
// channel.

import type { Channel } from "../channel.ts";

/** Reaches every reviewer without an address, and sends nothing. */
export const outboxChannel = (): Channel => ({
  name: "outbox",
  reaches: () => true,
  send: async () => ({ kind: "sent", receipt: null }),
  ended: async () => ({ kind: "sent", receipt: null }),
  say: async () => ({ kind: "sent", receipt: null }),
});
