// What every channel says of a form in the same words, in English: an MCP server asks a person.

import type { Gate } from "../../../model/gate.ts";

const gate = { lead: "The server waits for an answer.", content: "What it asks", approve: "Answer" } as const;

export const formEn = {
  gates: { request: gate, response: gate } satisfies Record<Gate, object>,
  silence: "If nobody answers before {at}, the server is told that nobody did.",
  /** In a chat, where nothing can be filled in. */
  open: "Open it to answer. Nothing here answers it.",
  ended: {
    titles: { approved: "Answered", denied: "Declined", expired: "Expired" },
    approved: "{by} answered this on {at}.",
    denied: "{by} declined this on {at}.",
    expired: "Nobody answered before {at}. The server was told that nobody did.",
  },
} as const;
