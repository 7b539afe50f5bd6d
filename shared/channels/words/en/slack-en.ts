// Every sentence of our Slack messages and dialogs, in English. What other channels say in the same
// words is in review-en.ts.

import type { Gate } from "../../../model/gate.ts";
import type { ContentKind } from "../../../model/subject/subject.ts";
import { ordinalsIn } from "../../../review/editable-fields.ts";
import { plural } from "./page-numbers-en.ts";
import { reviewEn } from "./review-en.ts";

const places = {
  systemPrompt: "System prompt",
  maxTokens: "Max tokens (can only be lowered)",
  temperature: "Temperature",
  stopSequence: (n: number): string => `Stop sequence ${n}`,
  message: (n: number, of: number, role: string): string => `Message ${n} of ${of}, ${role}`,
  text: (n: number, of: number): string => `Text ${n} of ${of}, becomes a vector`,
  call: "What would run",
  arguments: "Arguments",
  toolUse: "Tool use",
  result: "Result",
  structured: "Structured content of the result",
  vectors: "Vectors",
  schema: "Schema that the reply must fit",
  part: (n: number): string => `, part ${n}`,
  reply: "Reply",
  other: "Text",
} as const;

/** The label of an editable field, from its path. */
function field(path: string, gate: Gate, kind?: ContentKind): string {
  const [first = 0, second = 0] = ordinalsIn(path);
  if (path === "/arguments") return places.arguments;
  if (kind === "toolCall")
    return path.endsWith("/structuredContent") ? places.structured : places.result + (first > 1 ? places.part(first) : "");
  if (kind === "embedding" && path.startsWith("/messages/")) return `Text ${first}`;
  if (path === "/systemPrompt") return places.systemPrompt;
  if (path === "/maxTokens") return places.maxTokens;
  if (path === "/temperature") return places.temperature;
  if (path.startsWith("/stopSequences/")) return places.stopSequence(first);
  if (path.startsWith("/messages/")) return `Message ${first}${places.part(second)}`;
  return gate === "response" ? `${places.reply}${places.part(first)}` : places.other;
}

export const slackEn = {
  cut: "⟨cut⟩",
  /** Several reviews in one message. */
  digest: {
    why: "These reviews came so quickly that they are in one message. Each has its own page.",
    gates: { request: "Review the request", response: "Review the reply" } satisfies Record<Gate, string>,
    deadline: ". Decide before {at}.",
  },
  request: {
    exactly: "Approving sends exactly what is shown here, to the first model, and to the next only if that one fails.",
    exactlyOne: "Approving sends exactly what is shown here, to this model only.",
    denyTitle: "Deny this request",
    editTitle: "Edit this request",
  },
  response: {
    exactly: "Approving delivers exactly this reply. The approved prompt is behind Open.",
    exactlyOne: "Approving delivers exactly this reply. The approved prompt is behind Open.",
    denyTitle: "Deny this reply",
    editTitle: "Edit this reply",
  },
  asked: {
    asked: "You are asked to decide.",
    escalated: "Nobody has decided yet, so you are asked too.",
    handedOver: "This was handed to you.",
  },
  facts: {
    model: "Goes to {model} of {provider}, {cost}",
    next: "If that fails: {model} of {provider}, {cost}",
    runs: "Runs on {server}, as {model}. {why}",
    answered: "Answered by {model}, reported as {name}",
    written: "The reply was written by {by}. No model is asked",
    ran: "Run by {model}",
    stopped: "Finish reason: {reason}",
    cost: (words: string): string => `Cost: ${words}`,
    worstCost: (words: string): string => `Cost in the worst case: ${words}`,
    settings: (maxTokens: number): string => `Max tokens: ${maxTokens.toLocaleString("en-US")}`,
    temperature: (value: number): string => `Temperature: ${value}`,
    topP: (value: number): string => `top_p ${value}`,
    topK: (value: number): string => `top_k ${value}`,
    jsonSchema: "The reply must be JSON that fits the schema below.",
    jsonSchemaBehind: "The reply must be JSON that fits the schema behind Open.",
    toolChoice: (value: string): string => `Tool choice: ${value}`,
    version: "Version {version}, changed by {by}. What was changed is marked behind Open.",
    reviewer: "For {reviewer}, because of the rule {rule}",
    channel: "Anyone in this channel who decides here or behind Open decides as {reviewer}.",
    quorum: (votes: number, quorum: number): string =>
      `${plural(quorum, "person has", "people have")} to approve; ${votes.toLocaleString("en-US")} did so far.`,
    note: "Differs from the request: {note}",
  },
  risks: { more: (n: number): string => `${plural(n, "more note", "more notes")} behind Open` },
  unseen: "Invisible characters are named in ⟨ ⟩.",
  hidden: {
    heading: "Not everything is shown here, so it cannot be approved here. Not shown: ",
    byPolicy: "The policy keeps the content out of Slack, so it cannot be approved here. It is ",
    tooLong: "The content is too long for Slack, so it cannot be approved here. It is ",
    noButtons: "This channel’s webhook has no buttons, so it cannot be approved here. The page has them.",
    characters: reviewEn.counts.characters,
    image: reviewEn.counts.images,
    audio: reviewEn.counts.audio,
    tool: reviewEn.counts.tools,
    toolUse: (n: number): string => plural(n, "tool use", "tool uses"),
    toolResult: (n: number): string => plural(n, "tool result", "tool results"),
    vector: (n: number): string => plural(n, "vector", "vectors"),
    file: (n: number): string => plural(n, "file", "files"),
    metadata: (): string => "the metadata",
    secret: (n: number): string => plural(n, "text that looks like a secret", "texts that look like secrets"),
    model: (n: number): string => plural(n, "model that it may go to", "models that it may go to"),
    risk: (n: number): string => plural(n, "risk note", "risk notes"),
    name: (n: number): string => plural(n, "end of a long name", "ends of long names"),
    written: (): string => "the reply that a reviewer wrote",
    masked: (count: number): string => plural(count, "part that is masked here", "parts that are masked here"),
    text: (n: number): string => plural(n, "whole text", "whole texts"),
    open: ". Open shows all of it.",
  },
  standing: {
    voted: "You approved this. It waits for others.",
  },
  buttons: { edit: "Edit…", deny: "Deny…", open: "Open" },
  link: "Open the review",
  reminder: {
    title: "A review is still open",
    line: "Nobody has decided yet. The details are in the message above.",
  },
  ended: {
    handedOver: "Handed over",
    notMine: "Not yours any more",
    closed: "Not yours to decide",
    replaced: "Asked again",
    keyRevokedAt: "The API key of the request was revoked, {at}. Nothing more will be sent or delivered; no decision is needed.",
    keyExpiredAt: "The API key of the request expired, {at}. Nothing more will be sent or delivered; no decision is needed.",
    handedOverTo: "You handed this to {to}, {at}.",
    notMineAt: "You said that this is not yours, {at}.",
    closedLine: "You are no longer asked about this.",
    replacedLine: "You are asked about this once more. There is a newer message.",
    what: "It was about: ",
  },
  modal: {
    cancel: "Cancel",
    close: "Close",
    deny: "Deny",
    reason: "Reason (optional)",
    edit: "This is version {version}. Approving sends exactly what is in these fields.",
    editRun: "This is version {version}. Approving runs exactly what is in these fields, after a check against the tool’s schema.",
    editReply: "This is version {version}. Approving delivers exactly what is in these fields.",
    outcome: "Nothing was decided",
    longest: (characters: number): string => `At most ${plural(characters, "character", "characters")}.`,
  },
  places,
  field,
  /** Where a tool runs. */
  run: {
    request: {
      exactly: "Approving runs exactly what is shown here, on the first server, and on the next only if that one fails.",
      exactlyOne: "Approving runs exactly what is shown here, on this server only.",
      denyTitle: "Deny this run",
      editTitle: "Edit the arguments",
    },
    response: {
      exactly: "Approving delivers exactly this result. What was run is behind Open; denying does not undo it.",
      exactlyOne: "Approving delivers exactly this result. What was run is behind Open; denying does not undo it.",
      denyTitle: "Deny this result",
      editTitle: "Edit this result",
    },
  },
  /** Messages that only the member who pressed a button sees. */
  tell: {
    notYours: "You are not among those who may decide this. Nothing was decided.",
    stale: "The content changed after this message was made. Nothing was decided; look at the new version, then decide.",
    openPersonalLink: "This cannot be decided here. Open it, and decide there.",
    tooLongToEdit: "This cannot be edited in Slack without changing what you do not see. Open it, and edit there.",
    dialogFailed: "Slack did not open the dialog in time. Nothing was decided; press the button again, or open the review.",
    invalidEdit: "Some of your changes cannot be used. Nothing was decided; open the review to see which.",
    oldMessage: "This is an old copy of the message. Nothing was decided; use the newest one.",
  },
} as const;
