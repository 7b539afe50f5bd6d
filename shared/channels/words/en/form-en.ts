// What every channel says of a form in the same words, in English: an MCP server asks a person.

export const formEn = {
  /** In a chat, where nothing can be filled in. */
  open: "Open it to answer. Nothing here answers it.",
  ended: {
    titles: { approved: "Answered", denied: "Declined", expired: "Expired" },
    approved: "{by} answered this on {at}.",
    denied: "{by} declined this on {at}.",
    expired: "Nobody answered before {at}. The server was told that nobody did.",
  },
} as const;
