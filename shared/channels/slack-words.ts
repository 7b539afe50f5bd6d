// Every sentence of our Slack messages and modals, in one place so that a language can be added. Words only.

import type { Gate, Provenance } from "../model/gate.ts";
import { unreachable } from "../result.ts";
import type { SamplingRequest } from "../model/sampling.ts";
import { evidencePhrases } from "../association/evidence.ts";
import type { ReviewView } from "../review/view.ts";

const count = (n: number): string => n.toLocaleString("en-US");
const plural = (n: number, one: string, many: string): string => `${count(n)} ${n === 1 ? one : many}`;

export const slackWords = {
  empty: "(empty)",
  cut: "⟨cut⟩",
  lineBreak: "⟨line break⟩",
  blankLines: (n: number): string => plural(n, "blank line", "blank lines"),
  /** Several reviews in one message. */
  digest: {
    title: (n: number): string => `${plural(n, "review waits", "reviews wait")} for you`,
    why: "These came so quickly that they are in one message. Each has a page of its own.",
    gates: { request: "Review the request", response: "Review the reply" } satisfies Record<Gate, string>,
    deadline: ". Decide before {at}.",
  },
  request: {
    lead: "Nothing has been sent yet.",
    approve: "Approve and send",
    exactly: "Approving sends exactly what is shown here, to the first model, and to the next only if that one fails.",
    exactlyOne: "Approving sends exactly what is shown here, to this model only.",
    content: "What would be sent",
    denyTitle: "Deny this request",
    editTitle: "Edit this request",
  },
  response: {
    lead: "Nothing has been delivered yet.",
    approve: "Approve and deliver",
    exactly: "Approving delivers exactly this reply. The approved prompt is behind Open.",
    exactlyOne: "Approving delivers exactly this reply. The approved prompt is behind Open.",
    content: "What would be delivered",
    denyTitle: "Deny this reply",
    editTitle: "Edit this reply",
  },
  asked: {
    asked: "You are asked to decide.",
    escalated: "Nobody decided so far, so you are asked too.",
    handedOver: "This was handed to you.",
  },
  facts: {
    gone: "The asker’s connection is gone. You can still decide; the reply is then kept for one hour for the same request.",
    model: "Goes to {model} of {provider}, {cost}",
    next: "If that fails: {model} of {provider}, {cost}",
    runs: "Runs on {server}, as {model}. {why}",
    namedModel: "The model that was asked for is {name}. The models above say where another one stands in.",
    namedVersion: "The model that was asked for is {name}, version {version}. The models above say where another one stands in.",
    namedProvider: "Asked for from the provider {provider}.",
    answered: "Answered by {model}, real name {name}",
    ran: "Run by {model}",
    toolUse: "Result of the tool use {id}",
    toolError: "The tool says that this is an error.",
    cached: "This reply comes from the cache: it was made {at} for an identical request.",
    stopped: "Why it stopped: {reason}",
    noStopReason: "the provider said nothing",
    cost: (words: string): string => `Cost: ${words}`,
    worstCost: (words: string): string => `Cost in the worst case: ${words}`,
    settings: (maxTokens: number): string => `Longest reply: ${plural(maxTokens, "token", "tokens")} (maxTokens)`,
    texts: (n: number): string => `${plural(n, "text becomes a vector", "texts become vectors")}.`,
    temperature: (value: number): string => `Temperature: ${value}`,
    topP: (value: number): string => `Sampling: top_p ${value}`,
    topK: (value: number): string => `Sampling: top_k ${value}`,
    json: "The reply must be JSON.",
    jsonSchema: "The reply must be JSON that fits the schema below.",
    jsonSchemaBehind: "The reply must be JSON that fits the schema behind Open.",
    toolChoice: (value: string): string => `Tool choice: ${value}`,
    version: "Version {version}, changed by {by}. What was changed is marked behind Open.",
    reviewer: "For {reviewer}, because of the rule {rule}",
    channel: "Whoever of this channel decides here or behind Open decides as {reviewer}.",
    deadline: "If nobody decides before {at}, that is a no.",
    quorum: (votes: number, quorum: number): string =>
      `${plural(quorum, "person has", "people have")} to approve; ${count(votes)} did so far.`,
    note: "What the models cannot take as asked: {note}",
  },
  risks: { heading: "Look at these twice", more: (n: number): string => `${plural(n, "more note", "more notes")} behind Open` },
  unseen: "Characters that you would not see are named in ⟨ ⟩.",
  hidden: {
    heading: "Not everything is shown here, so it cannot be approved here. Not shown: ",
    byPolicy: "The content is not shown here, so it cannot be approved here. It is ",
    characters: (n: number): string => plural(n, "character of text", "characters of text"),
    image: (n: number): string => plural(n, "image", "images"),
    audio: (n: number): string => plural(n, "sound", "sounds"),
    tool: (n: number): string => plural(n, "tool", "tools"),
    toolUse: (n: number): string => plural(n, "tool use", "tool uses"),
    toolResult: (n: number): string => plural(n, "tool result", "tool results"),
    vector: (n: number): string => plural(n, "vector", "vectors"),
    file: (n: number): string => plural(n, "file", "files"),
    metadata: (): string => "the metadata",
    model: (n: number): string => plural(n, "model that it may go to", "models that it may go to"),
    risk: (n: number): string => plural(n, "risk note", "risk notes"),
    name: (n: number): string => plural(n, "end of a long name", "ends of long names"),
    text: (n: number): string => plural(n, "whole text", "whole texts"),
    open: ". Open shows all of it.",
  },
  standing: {
    ownRequest: "This is your own request: somebody else has to approve it. You can deny it.",
    voted: "You approved this. It waits for others.",
  },
  buttons: { edit: "Edit…", deny: "Deny…", open: "Open" },
  link: "Open the review",
  reminder: {
    title: "A review still waits",
    line: "Nobody decided so far. The message above has it all. If nobody decides before {at}, that is a no.",
  },
  ended: {
    approved: "Approved",
    approvedEdited: "Approved with changes",
    denied: "Denied",
    expired: "Expired",
    cancelled: "Withdrawn",
    failed: "Failed",
    handedOver: "Handed over",
    notMine: "Not yours any more",
    closed: "Not yours to decide",
    replaced: "Asked again",
    approvedBy: "{by} approved this, {at}.",
    editedBy: "{by} changed and approved this, {at}.",
    deniedBy: "{by} denied this, {at}.",
    expiredAt: "Nobody decided before {at}. That counts as a no.",
    cancelledAt: "The request was withdrawn, {at}. This is not a no; nobody needs to decide.",
    keyRevokedAt: "The API key of the request was revoked, {at}. Nothing will be sent or delivered any more; nobody needs to decide.",
    keyExpiredAt: "The API key of the request expired, {at}. Nothing will be sent or delivered any more; nobody needs to decide.",
    failedAt: "It could not be carried out. It ended {at}.",
    handedOverTo: "You handed this to {to}, {at}.",
    notMineAt: "You said that this is not yours, {at}.",
    closedLine: "You are not asked about this any more.",
    replacedLine: "You are asked about this once more. There is a newer message.",
    what: "It was about: ",
  },
  modal: {
    cancel: "Cancel",
    close: "Close",
    deny: "Deny",
    reason: "Reason (optional)",
    reasonTold: "The server will be told this reason.",
    reasonKept: "Other reviewers can see this reason. The server is not told.",
    reasonToldClient: "The client will be told this reason.",
    reasonKeptClient: "Other reviewers can see this reason. The client is not told.",
    reasonUnsaid: "Other reviewers can see this reason.",
    edit: "This is version {version}. Approving sends exactly what stands in these fields.",
    editRun:
      "This is version {version}. Approving runs exactly what stands in these fields, after one more check that it fits the tool’s schema.",
    editReply: "This is version {version}. Approving delivers exactly what stands in these fields.",
    outcome: "Nothing was decided",
  },
  places: {
    systemPrompt: "System prompt",
    maxTokens: "Longest reply, in tokens (can only be lowered)",
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
  },
} as const;

/** How sure it is which client request is served. */
export const sureWords = ({ provenance, evidence }: Pick<ReviewView["asker"], "provenance" | "evidence">): string =>
  evidence === undefined ? provenanceWords[provenance] : evidencePhrases[evidence];

const provenanceWords: Readonly<Record<Provenance, string>> = {
  claimed: "Claimed by the host.",
  inferred: "Inferred, may be wrong.",
  observed: "Observed by Countersign.",
  own: "The client asks for itself.",
};

const noteFields = {
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  stopSequences: "stop sequences",
  metadata: "metadata",
  toolChoice: "tool choice",
  responseFormat: "format of the reply",
} as const;

export function noteWords(note: ReviewView["notes"][number]): string {
  switch (note.kind) {
    case "omitted":
      return `left out, ${noteFields[note.field]}: ${note.why}`;
    case "clamped":
      return `${noteFields[note.field]} changed from ${note.from} to ${note.to}`;
    case "overLimit":
      return `${plural(note.reportedTokens, "token", "tokens")} reported where ${count(note.maxTokens)} were allowed${note.cut ? "; the reply was cut" : ""}`;
    case "contextAdded":
      return `added by us to the system prompt, as the server asked: ${count(note.characters)} characters of context`;
    case "toolNeedsSampling":
      return "The tool asks its caller for sampling, and a function is run without it.";
    default:
      return unreachable(note);
  }
}

/** US dollars, rounded upwards and never to nothing. */
export function costWords(usd: number, atMost: boolean): string {
  if (usd === 0) return "free";
  const places = usd >= 1 ? 2 : 4;
  const up = Math.ceil(usd * 10 ** places - 1e-9) / 10 ** places;
  return `${atMost ? "at most " : ""}US$${up.toFixed(places)}`;
}

/** The label of an editable field, from the shape of its path alone. */
export function fieldWords(path: string, gate: Gate, task?: SamplingRequest["task"]): string {
  const { places } = slackWords;
  const [first = 0, second = 0] = [...path.matchAll(/\/(\d+)/g)].map((match) => Number(match[1]) + 1);
  if (task === "function" && gate === "request" && path.endsWith("/input")) return places.arguments;
  if (task === "function" && gate === "response")
    return path.endsWith("/structuredContent") ? places.structured : places.result + (second > 1 ? places.part(second) : "");
  if (task === "embedding" && path.startsWith("/messages/")) return `Text ${first}`;
  if (path === "/systemPrompt") return places.systemPrompt;
  if (path === "/maxTokens") return places.maxTokens;
  if (path === "/temperature") return places.temperature;
  if (path.startsWith("/stopSequences/")) return places.stopSequence(first);
  if (path.startsWith("/messages/")) return `Message ${first}${places.part(second)}`;
  return gate === "response" ? `${places.reply}${places.part(first)}` : places.other;
}
