// Every sentence of the review page, in one place so that a language can be added. Words only: no markup, no decision.
//
// `{name}` in a sentence is a place where the page puts something; `fill` in sentence.tsx puts it there.

import type { Note, Usage } from "../../shared/provider/call.ts";
import { unreachable } from "../../shared/result.ts";
import type { Provenance, RunProgress } from "../../shared/review/view.ts";

const plural = (count: number, one: string, many: string): string => `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;

export const reviewWords = {
  product: "Countersign",
  toDecision: "Go to the decision",
  request: {
    title: "A server wants to ask a model",
    closedTitle: "A server wanted to ask a model",
    lead: "{server} asks for a model’s reply, for {client}. Nothing has been sent yet. Read what would be sent, change it if you like, and decide.",
    content: "What would be sent",
    closedContent: "What was asked",
    approve: "Approve and send",
    approveTo: "Approve and send to {model}",
    exactly:
      "If you approve, the content of version {version} is sent as it stands on this page, with the changes you made in the fields above, to the model you chose.",
    notSent: "If you deny, nothing is sent to any model.",
  },
  response: {
    title: "A model’s reply waits for delivery",
    closedTitle: "A model’s reply",
    lead: "{model} has replied to {server}, which works for {client}. Nothing has been delivered yet. Read the reply, change it if you like, and decide.",
    content: "What would be delivered",
    closedContent: "The reply",
    approve: "Approve and deliver",
    approveTo: "Approve and deliver to {server}",
    exactly:
      "If you approve, the reply of version {version} is delivered as it stands on this page, with the changes you made in the fields above.",
    notSent: "If you deny, the reply is delivered nowhere.",
    prompt: "The approved prompt that this is the reply to",
    hidden: "This reply was denied. It is not shown any more, and it was delivered nowhere.",
    missing: "There is no reply to show.",
  },
  glance: {
    heading: "At a glance",
    asker: "Asked by",
    content: "Content",
    model: "Goes to",
    thenTo: "{first}; if that fails: {rest}",
    noModel: "No model is listed.",
    answeredBy: "Answered by",
    cost: "Costs at most",
    realCost: "Cost",
    deadline: "Decide before",
    reviewer: "You are",
    forYou: "{reviewer}, asked because of the rule {rule}",
  },
  who: {
    heading: "Who asks",
    server: "Server",
    client: "For the client",
    owner: "Owned by",
    origin: "While handling",
    sure: "How sure is this",
    run: "Run",
    gone: "The asker’s connection is gone. You can still decide; the reply is then kept for one hour for the same request.",
  },
  risks: {
    heading: "Look at these twice",
    none: "No rule of thumb found anything to look at twice. That is no proof that all is well.",
    where: "In: {place}",
  },
  settings: {
    heading: "Settings",
    maxTokens: "Longest reply",
    temperature: "Temperature",
    stopSequences: "Stops at",
    toolChoice: "May it use tools",
    metadata: "Metadata",
    includeContext: "Context that was asked for",
    preferences: "What was asked of the model",
    notGiven: "not given",
    hints: "Names wanted, in order: ",
    priorities: "Priorities: ",
    stopReason: "Why it stopped",
    realModel: "Model’s own name",
    tokens: "Tokens",
    usage: (usage: Usage): string =>
      `${usage.inputTokens.toLocaleString("en-US")} read, ${usage.outputTokens.toLocaleString("en-US")} written${usage.estimated === true ? " (estimated)" : ""}`,
    noStopReason: "the provider said nothing",
  },
  toolChoices: { auto: "if the model wants to (auto)", required: "it has to (required)", none: "no (none)" },
  contexts: { none: "none", thisServer: "this server’s (thisServer)", allServers: "all servers’ (allServers)" },
  models: {
    heading: "Which model",
    legend: "Which model is asked first",
    order: "The one you choose is asked first. If it fails, the others are asked in this order. No other model gets this.",
    closedOrder: "They are asked in this order: the next one only if the one before fails.",
    first: "Asked first",
    later: "Asked only if the ones before it fail",
    atMost: "at most {cost}",
    knownAs: "{provider} calls it {name}",
  },
  notes: { heading: "What the models cannot take as asked" },
  changes: {
    heading: "What reviewers changed",
    byWhom: "Version {version} by {by}, {at}",
    preview: "Preview of your changes",
    previewLead: "Nothing is decided and nothing is sent. Your changes are still in the fields below; they count once you approve.",
    previewNone: "You have changed nothing.",
    skipped: (lines: number): string => `${plural(lines, "unchanged line", "unchanged lines")} not repeated here`,
    removed: "removed",
    added: "added",
    rest: "Everything else",
  },
  outside: {
    server: "From the server. Not written by Countersign.",
    serverAsAssistant: "From the server, which says that a model said this. Not written by Countersign.",
    model: "From the model. Not written by Countersign.",
    edited: "From the server, changed by a reviewer. Not written by Countersign.",
    editedReply: "From the model, changed by a reviewer. Not written by Countersign.",
    reviewer: "Written by the reviewer.",
    end: "End of this text",
    empty: "(empty)",
    unseen: (count: number): string =>
      `${plural(count, "character that you would not see is", "characters that you would not see are")} shown as labels like {sample}.`,
    blankLines: (count: number): string => plural(count, "blank line", "blank lines"),
  },
  edit: {
    open: "Edit",
    text: "Change this: {label}",
    object: "Change this, as JSON: {label}",
    limit: "Lower this: {label}",
    removable: "Empty it to leave it out.",
    kept: "Your change is in the field below and is not sent yet.",
  },
  media: {
    image: (n: string, size: string): string => `Image in ${n}, ${size}. Countersign does not know what it shows.`,
    audio: (n: string, size: string): string => `Sound in ${n}, ${size}`,
    unsafe: "Images of this type are not drawn here. This is its source.",
    unplayable: "This page cannot show or play this type. You have not seen what is in it; all of it is below as base64.",
    notBase64: "This is not base64. It stands below as it came.",
    bytes: (count: number): string =>
      count < 1_024
        ? plural(count, "byte", "bytes")
        : count < 1_048_576
          ? `${(count / 1_024).toFixed(1)} KB`
          : `${(count / 1_048_576).toFixed(1)} MB`,
  },
  decide: {
    heading: "Your decision",
    quorum: "{quorum} people have to approve.",
    votes: "{votes} of {quorum} have approved so far.",
    changed: "Changed something above? Look at your changes before you approve. This decides nothing.",
    preview: "Preview changes",
    reason: "Reason for a no (you can leave it empty)",
    reasonTold: "The server will be told this reason.",
    reasonKept: "Reviewers and the record see this reason. The server is not told.",
    reasonUnsaid: "Reviewers and the record see this reason.",
    deny: "Deny",
    silence: "If nobody decides before {deadline}, that is a no.",
  },
  problem: { heading: "Nothing is decided yet" },
  states: {
    open: "Open",
    approved: "Approved",
    approvedEdited: "Approved with changes",
    denied: "Denied",
    expired: "Expired",
    cancelled: "Cancelled",
    failed: "Failed",
    voted: "Waiting for more people",
    byAt: "{by} decided this on {at}.",
    expiredAt: "Nobody decided before {at}. That counts as a no, and this link decides nothing any more.",
    cancelledAt: "The request was withdrawn on {at}. This is not a no; nobody needs to decide.",
    failedAt: "It could not be carried out. It ended on {at}.",
    why: "Why: {why}",
    reason: "Reason given: {reason}",
    votedSoFar: "{votes} of {quorum} people have approved so far.",
  },
  counts: {
    systemPrompt: "system prompt",
    messages: (n: number): string => plural(n, "message", "messages"),
    tools: (n: number): string => plural(n, "tool", "tools"),
    images: (n: number): string => plural(n, "image", "images"),
    audio: (n: number): string => plural(n, "sound", "sounds"),
    blocks: (n: number): string => plural(n, "part", "parts"),
    characters: (n: number): string => `${plural(n, "character", "characters")} of text`,
  },
  pieces: {
    systemPrompt: "System prompt",
    message: (n: number, of: number): string => `Message ${n} of ${of}`,
    text: "Text",
    image: "Image",
    audio: "Sound",
    toolUse: "Tool use",
    toolResult: "Tool result",
    failedToolResult: "Tool result, marked as an error",
    forToolUse: "For the tool use {id}",
    toolUseId: "Id {id}",
    structured: "Structured content",
    link: "Link to a resource (not fetched)",
    resource: "Embedded resource",
    tools: "Tools that the model may ask for",
    tool: "Tool",
    schema: "Input schema",
    description: "Description",
    name: "Name",
    uri: "URI",
    mimeType: "Type",
    reply: "Reply",
  },
} as const;

export const roleWords = { user: "user", assistant: "assistant" } as const;

export const provenanceWords: Readonly<Record<Provenance, string>> = {
  claimed: "Claimed by the host. Countersign did not see the client’s own request.",
  inferred: "Inferred: it was worked out from the client requests that were open, and may be wrong.",
  observed: "Observed: Countersign saw the client’s own request.",
};

/** What the run is doing now, for somebody who opens a decided review. `waiting` says nothing that the outcome does not say. */
export const progressWords: Readonly<Record<RunProgress, string>> = {
  waiting: "",
  generating: "The model is being asked now.",
  responseReview: "The model has replied; the reply waits for its own review.",
  completed: "The reply was delivered.",
  rejected: "The server was told that the user rejected the request.",
  expired: "The server was told that nobody decided in time.",
  cancelled: "The request was withdrawn; nothing more will happen.",
  failed: "The server was told that it could not be carried out.",
};

const noteFields = {
  temperature: "the temperature",
  stopSequences: "the stop sequences",
  metadata: "the metadata",
  toolChoice: "the choice of tools",
} as const;

export function noteWords(note: Note): string {
  switch (note.kind) {
    case "omitted":
      return `Left out: ${noteFields[note.field]}. ${note.why}`;
    case "clamped":
      return `Changed: ${noteFields[note.field]} from ${note.from} to ${note.to}, the nearest that the model takes.`;
    case "overLimit":
      return `The model reported ${plural(note.reportedTokens, "token", "tokens")} where ${note.maxTokens.toLocaleString("en-US")} were allowed. ${note.cut ? "The reply was cut." : "The reply was not cut."}`;
    default:
      return unreachable(note);
  }
}

const ordinals = (path: string): number[] => [...path.matchAll(/\/(\d+)/g)].map((match) => Number(match[1]) + 1);

/** A place in the content, for people: "Message 2, part 1". Made from the pointer's shape and numbers alone. */
export function placeWords(path: string): string {
  const [first, second, third] = ordinals(path);
  if (path === "" || path === "/") return reviewWords.changes.rest;
  if (path === "/systemPrompt") return "System prompt";
  if (path === "/maxTokens") return "Longest reply (maxTokens)";
  if (path === "/temperature") return "Temperature";
  if (path.startsWith("/stopSequences")) return first === undefined ? "Stop sequences" : `Stop sequence ${first}`;
  if (path.startsWith("/tools/")) return path.endsWith("/description") ? `Description of tool ${first}` : `Tool ${first}`;
  if (path.startsWith("/content/")) return `Reply, part ${first}${path.endsWith("/input") ? ", input of the tool use" : ""}`;
  if (path.startsWith("/messages/")) {
    const inner = path.endsWith("/input") ? ", input of the tool use" : path.endsWith("/structuredContent") ? ", structured content" : "";
    return `Message ${first}${second === undefined ? "" : `, part ${second}`}${third === undefined ? "" : `, result ${third}`}${inner}`;
  }
  return reviewWords.changes.rest;
}

const clock = (n: number): string => String(n).padStart(2, "0");
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Unix milliseconds as "17 Nov 2026, 14:52:10 UTC". */
export function timeWords(at: number): string {
  const date = new Date(at);
  const day = `${date.getUTCDate()} ${months[date.getUTCMonth()] ?? ""} ${date.getUTCFullYear()}`;
  return `${day}, ${clock(date.getUTCHours())}:${clock(date.getUTCMinutes())}:${clock(date.getUTCSeconds())} UTC`;
}

/** The two largest units of a time span, rounded down: "9 minutes 30 seconds". */
export function spanWords(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), "day"],
    [Math.floor((seconds % 86_400) / 3_600), "hour"],
    [Math.floor((seconds % 3_600) / 60), "minute"],
    [seconds % 60, "second"],
  ];
  const from = parts.findIndex(([count]) => count > 0);
  if (from === -1) return "0 seconds";
  return parts
    .slice(from, from + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => plural(count, unit, `${unit}s`))
    .join(" ");
}

/** Where `at` lies as seen from `now`. */
export const relativeWords = (at: number, now: number): string => (at >= now ? `in ${spanWords(at - now)}` : `${spanWords(now - at)} ago`);

/** US dollars so that a small amount can be pictured: "1.2 US cents", "US$3.40". Never rounded to nothing, and upwards. */
export function moneyWords(usd: number): string {
  if (usd === 0) return "nothing";
  if (usd >= 1) return `US$${(Math.ceil(usd * 100) / 100).toFixed(2)}`;
  const cents = usd * 100;
  if (cents < 0.01) return "less than 0.01 US cents";
  const places = cents >= 1 ? 1 : 2;
  const up = Math.ceil(cents * 10 ** places - 1e-9) / 10 ** places;
  return `${up.toFixed(places)} US ${up === 1 ? "cent" : "cents"} (US$${usd.toFixed(4)})`;
}
