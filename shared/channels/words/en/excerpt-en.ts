// What emails and chats say around the beginning of the content, in English.

export const excerptEn = {
  heading: "How it begins",
  rule: "Untrusted content. Links are disabled. Invisible characters are written as ⟨labels⟩.",
  start: {
    systemPrompt: "From the server: system prompt",
    user: "From the server: message of the user",
    text: "From the server: text that becomes a vector",
    assistant: "From the server: message as a model’s words",
    toolResult: "From the server: result of a tool",
    inputResponses: "From the client: its answers to the server",
    reply: "From the model: reply",
    vectors: "From the model: vectors",
  },
  /** Where the server requires a format of the reply. */
  formatted: "From the server, with Countersign’s words for the format of the reply: system prompt",
  /** Where a client asks for itself, in place of a server. */
  ownStart: {
    systemPrompt: "From the client, with Countersign’s words for its task: system prompt",
    user: "From the client: message of the user",
    text: "From the client: text that becomes a vector",
    assistant: "From the client: message as a model’s words",
    toolResult: "From the client: result of a tool",
  },
  end: "End of what came from outside",
  more: "{n, # more character of text follows/# more characters of text follow} on the page, with everything that is not text.",
  all: "That is all of the text. Everything that is not text is on the page.",
  nothing: "There is no text to show here. The content is on the page.",
  none: "The policy keeps the content out of emails. It is on the page.",
  later: "The content is on the page.",
  cut: "… and {n, # more character/# more characters}",
  tab: "tab",
} as const;
