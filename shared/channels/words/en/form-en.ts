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
  /** What is wrong with what was typed into a field. */
  fault: {
    missing: "This is required.",
    notNumber: "This must be a number.",
    notWholeNumber: "This must be a whole number.",
    notOffered: "Choose one of the list.",
    unfit: "This does not fit what the server asks for.",
    tooShort: "This must have at least {n, # character/# characters}.",
    tooLong: "This must have at most {n, # character/# characters}.",
    tooFew: "Choose at least {n}.",
    tooMany: "Choose at most {n}.",
    tooSmall: "This must be {limit} or more.",
    tooLarge: "This must be {limit} or less.",
    notOfFormat: {
      email: "This must be an email address.",
      uri: "This must be an address such as {example}.",
      date: "This must be a date such as {example}.",
      "date-time": "This must be a date and time such as {example}.",
    },
  },
} as const;
