// What a reviewer is asked about, and the sentences that name it on the page, in mails, in Slack and in webhooks. A review that
// comes through the control door has no server that asks: a client asks for itself, for one of the door's tasks.
//
// `{name}` in a sentence is a place for a name from outside; whoever shows the sentence marks what stands there.

import type { Gate } from "../model/gate.ts";
import type { ReviewView } from "../review/view.ts";

/** `sampling`: an MCP server asks. `function`: a tool is to run, which is an action; all others go to a model. */
export type Asking = "sampling" | "text" | "translation" | "embedding" | "functionChoice" | "multimodal" | "function";

const tasks: ReadonlyMap<string, Asking> = new Map([
  ["translation", "translation"],
  ["function_call", "functionChoice"],
  ["multimodal_generation", "multimodal"],
]);

/** What is to be done comes before who asks for it: an action is one whatever its asker is called. */
export function askingOf({ asker, request }: Pick<ReviewView, "asker" | "request">): Asking {
  if (request.task !== undefined) return request.task;
  if (asker.provenance !== "own") return "sampling";
  return tasks.get(asker.name) ?? "text";
}

type Words = {
  /** Headings, without a name in them. */
  readonly title: Readonly<Record<Gate, string>>;
  readonly closedTitle: Readonly<Record<Gate, string>>;
  /** Who asks for what, with {server}, {client}, {method} and {name}; the same when it is over. */
  readonly asks: string;
  readonly asked: string;
  /** In the subject of a mail. */
  readonly subject: string;
};

const reply = { title: "A model’s reply waits for delivery", closedTitle: "A model’s reply" } as const;

export const askingWords: Readonly<Record<Asking, Words>> = {
  sampling: {
    title: { request: "A server wants to ask a model", response: reply.title },
    closedTitle: { request: "A server wanted to ask a model", response: reply.closedTitle },
    asks: "Asked by {server} for {client}, while it handles {method} {name}.",
    asked: "{server} for {client}, {method} {name}.",
    subject: "{server} / {name}",
  },
  text: {
    title: { request: "A client asks a model for text", response: reply.title },
    closedTitle: { request: "A client asked a model for text", response: reply.closedTitle },
    asks: "{client} asks a model for text.",
    asked: "{client} asked a model for text.",
    subject: "text for {client}",
  },
  translation: {
    title: { request: "A client asks for a translation", response: "A translation waits for delivery" },
    closedTitle: { request: "A client asked for a translation", response: "A translation" },
    asks: "{client} asks for a translation.",
    asked: "{client} asked for a translation.",
    subject: "translation for {client}",
  },
  embedding: {
    title: { request: "A client asks for texts as vectors", response: "Vectors wait for delivery" },
    closedTitle: { request: "A client asked for texts as vectors", response: "Vectors of texts" },
    asks: "{client} asks for texts as vectors (embeddings).",
    asked: "{client} asked for texts as vectors (embeddings).",
    subject: "vectors for {client}",
  },
  functionChoice: {
    title: { request: "A client asks a model to choose a function", response: "A model’s choice waits for delivery" },
    closedTitle: { request: "A client asked a model to choose a function", response: "A model’s choice of a function" },
    asks: "{client} asks a model to choose among functions.",
    asked: "{client} asked a model to choose among functions.",
    subject: "choice of a function for {client}",
  },
  multimodal: {
    title: { request: "A client asks a model about images", response: reply.title },
    closedTitle: { request: "A client asked a model about images", response: reply.closedTitle },
    asks: "{client} asks a model about images.",
    asked: "{client} asked a model about images.",
    subject: "text about images for {client}",
  },
  function: {
    title: { request: "A client wants to run a tool", response: "A tool’s result waits for delivery" },
    closedTitle: { request: "A client wanted to run a tool", response: "A tool’s result" },
    asks: "{client} wants to run {name} on {server}.",
    asked: "{client} wanted to run {name} on {server}.",
    subject: "{name} on {server} for {client}",
  },
};

/** The sentence on who asks for what, with its places. What has run already is no wish any more, and what is over neither. */
export function asksWords(view: Pick<ReviewView, "asker" | "request" | "gate">, isOpen: boolean): string {
  const asking = askingOf(view);
  const { asks, asked } = askingWords[asking];
  return isOpen && !(asking === "function" && view.gate === "response") ? asks : asked;
}
