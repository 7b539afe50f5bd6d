// Every sentence of the review page, in one place so that a language can be added. Words only: no markup, no decision.
//
// `{name}` in a sentence is a place where the page puts something; `fill` in sentence.tsx puts it there.

import type { KeyEnd, Provenance } from "../../shared/model/gate.ts";
import { modelPath } from "../../shared/review/changes.ts";
import type { Note, Usage } from "../../shared/model/call.ts";
import { unreachable } from "../../shared/result.ts";
import type { SamplingRequest } from "../../shared/model/sampling.ts";
import { type Evidence, evidencePhrases } from "../../shared/association/evidence.ts";
import type { ReviewView, RunProgress } from "../../shared/review/view.ts";

const plural = (count: number, one: string, many: string): string => `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;

export const reviewWords = {
  product: "Countersign",
  toDecision: "Go to the decision",
  request: {
    lead: "Nothing has been sent yet. Read it, change it if you like, and decide.",
    stillHere: "Nothing has been sent yet.",
    content: "What would be sent",
    closedContent: "What was asked",
    approve: "Approve and send",
    approveTo: "Approve and send to {model}",
    exactly:
      "Approving sends version {version} as it stands on this page{changes}, to the model you chose first, and to the others in its list only if that one fails.",
    exactlyOne: "Approving sends version {version} as it stands on this page{changes}, to this model only.",
    notSent: "Denying sends nothing to any model.",
  },
  response: {
    lead: "Nothing has been delivered yet. Read it, change it if you like, and decide.",
    stillHere: "Nothing has been delivered yet.",
    content: "What would be delivered",
    closedContent: "The reply",
    approve: "Approve and deliver",
    approveTo: "Approve and deliver to {server}",
    exactly: "Approving delivers version {version} of the reply as it stands on this page{changes}.",
    notSent: "Denying delivers it nowhere.",
    prompt: "The approved prompt",
    hidden: "This reply was denied. It is not shown any more, and it was delivered nowhere.",
    missing: "There is no reply to show.",
  },
  glance: {
    heading: "At a glance",
    content: "Content",
    model: "Goes to",
    approvedModel: "Approved for",
    thenTo: (others: number): string => `{first}; if that fails, ${plural(others, "other", "others")}`,
    noModel: "No model is listed.",
    answeredBy: "Answered by",
    cost: "Cost",
    atMost: "at most {cost}",
    deadline: "Deadline",
    left: "{span} left",
    whenOpened: "when opened",
  },
  who: {
    gone: "The asker’s connection is gone. You can still decide; the reply is then kept for one hour for the same request.",
  },
  about: {
    heading: "About this request",
    sure: "How we know",
    owner: "Client’s owner",
    reviewer: "This page is for",
    forYou: "{reviewer}, asked because of the rule {rule}",
    run: "Run",
  },
  risks: {
    heading: "Look at these twice",
    closedHeading: "What the rules of thumb found",
    inPrompt: "In the prompt: {place}",
    none: "No rule of thumb found anything to look at twice. That is no proof that all is well.",
  },
  settings: {
    heading: "Settings",
    maxTokens: "Longest reply",
    tokenCount: (n: number): string => `${plural(n, "token", "tokens")} (maxTokens)`,
    temperature: "Temperature",
    stopSequences: "Stops at",
    topP: "Sampling, top_p",
    topK: "Sampling, top_k",
    form: "Form of the reply",
    json: "The reply must be JSON.",
    jsonSchema: "The reply must be JSON that fits this schema:",
    jsonSchemaAbove: "The reply must be JSON that fits the schema in the prompt above.",
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
    tokensRead: (usage: Usage): string =>
      `${usage.inputTokens.toLocaleString("en-US")} read${usage.estimated === true ? " (estimated)" : ""}`,
    noStopReason: "the provider said nothing",
    cached: "This reply comes from the cache: it was made {at} for an identical request.",
  },
  toolChoices: { auto: "if the model wants to (auto)", required: "it has to (required)", none: "no (none)" },
  contexts: { none: "none", thisServer: "this server’s (thisServer)", allServers: "all servers’ (allServers)" },
  models: {
    heading: "Which model",
    unaskedHeading: "Which model would have been asked",
    runsHeading: "Where it runs",
    unrunHeading: "Where it would have run",
    named: "The client asked for the model {name}. Where another one stands in, its reason says so.",
    namedVersion: "The client asked for the model {name}, version {version}. Where another one stands in, its reason says so.",
    namedProvider: "It named the provider {provider}.",
    legend: "Which model is asked first",
    order: "The one you choose is asked first. If it fails, the others are asked in this order. No other model gets this.",
    closedOrder: "In this order: the next one only if the one before fails.",
    first: "First",
    later: "If those above fail",
    atMost: "at most {cost}",
    free: "free",
    knownAs: "{name}, from {provider}",
    from: "from {provider}",
  },
  notes: { heading: "What the models cannot take as asked" },
  changes: {
    heading: "What reviewers changed",
    byWhom: "Version {version} by {by}, {at}",
    preview: "Preview of your changes",
    previewLead: "Nothing is decided yet. Your changes are in the fields below; Approve counts them.",
    previewNone: "You have changed nothing.",
    skipped: (lines: number): string => `${plural(lines, "unchanged line", "unchanged lines")} not repeated here`,
    removed: "removed",
    added: "added",
    rest: "Everything else",
  },
  outside: {
    rule: "What is in a frame came from outside. Buttons and links in it are only text.",
    server: { start: "From the server", end: "End of what the server sent" },
    serverAsAssistant: { start: "From the server, as a model’s words", end: "End of what the server sent" },
    model: { start: "From the model", end: "End of what the model sent" },
    edited: { start: "From the server, changed by a reviewer", end: "End of the changed text" },
    editedReply: { start: "From the model, changed by a reviewer", end: "End of the changed text" },
    client: { start: "From the client", end: "End of what the client sent" },
    clientAndUs: { start: "From the client, with Countersign’s words for its task", end: "End of what the client and Countersign say" },
    clientAsAssistant: { start: "From the client, as a model’s words", end: "End of what the client sent" },
    clientEdited: { start: "From the client, changed by a reviewer", end: "End of the changed text" },
    tool: { start: "From the tool", end: "End of what the tool sent" },
    editedTool: { start: "From the tool, changed by a reviewer", end: "End of the changed text" },
    empty: "(empty)",
    unseen: (count: number): string =>
      `${plural(count, "character that you would not see is", "characters that you would not see are")} shown as labels like {sample}.`,
    lineGoesOn: "the line goes on",
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
    plain: "The gateway decoded this image and encoded it again; these very bytes go on from here. What was transparent stands on white.",
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
    as: "You decide as {reviewer}.",
    quorum: "{quorum} people have to approve.",
    votes: "{votes} of {quorum} have approved so far.",
    changed: "Changed something? Look at it first; this decides nothing.",
    withChanges: (changes: number): string => (changes === 0 ? "" : ` with ${plural(changes, "change", "changes")}`),
    shownChanges: (changes: number): string => (changes === 0 ? "" : ` with the ${plural(changes, "change", "changes")} shown above`),
    preview: "Preview changes",
    reason: "Reason for a no (optional)",
    reasonTold: "The server will be told this reason.",
    reasonKept: "Other reviewers can see this reason. The server is not told.",
    reasonUnsaid: "Other reviewers can see this reason.",
    deny: "Deny",
    silence: "If nobody decides before {deadline}, that is a no.",
    reasonToldClient: "The client will be told this reason.",
    reasonKeptClient: "Other reviewers can see this reason. The client is not told.",
    ownVote: "You have approved version {version}. You can still deny it: one no ends the review.",
    ownRequest: "You may not approve this: your own client asks for it, and the rules want somebody else to approve it. You can deny it.",
    lookAgain: "Look again",
    lookAgainHint: "This decides nothing; it shows how the review stands now.",
  },
  own: {
    votedHeading: "You have approved this",
    voted: (missing: number): string =>
      `You approved this version on {at}. ${plural(missing, "more person has", "more people have")} to approve before it counts.`,
    leftHeading: "This is not yours any more",
    handedOver:
      "You handed this to {to} on {at}. They have a link of their own. This link decides nothing any more; you can still read here.",
    notMine:
      "You said on {at} that this is not yours. You are not asked or reminded any more. This link decides nothing; you can still read here.",
  },
  giveUp: {
    heading: "Not yours to decide?",
    to: "Hand it over to",
    handOver: "Hand it over",
    handOverHint: "They get a link of their own. This link then decides nothing any more.",
    notMine: "This is not mine",
    notMineHint:
      "You are not asked or reminded any more; the others still are. Where too few are left to approve it, the asker is refused at once.",
  },
  grant: {
    heading: { request: "Also allow later requests like this one", response: "Also allow later replies like this one" },
    lead: {
      request:
        "What you allow here goes to a model without anybody being asked. It counts together with Approve only, and only where you have changed nothing and chosen no other model.",
      response:
        "What you allow here is delivered without anybody being asked. It counts together with Approve only, and only where you have changed nothing.",
    },
    exact: {
      request: "“Exactly this” is the very same request, letter by letter.",
      response: "“Exactly this” is any reply to the very same request, letter by letter.",
    },
    shape: {
      request:
        "“Any like this” has the same system prompt, tools, settings, models and kinds of content. Its messages may say anything else, in at most 1,000 characters or two and a half times as many as here.",
      response:
        "“Any like this” is a reply to a request with the same system prompt, tools, settings, models and kinds of content. Request and reply may say anything else.",
    },
    limits: "It ends by itself, and the operator can revoke it before. A rule that refuses still refuses.",
    risk: {
      none: "Where there is anything to look at twice, somebody is asked all the same.",
      low: "Where the risk is above the level low, somebody is asked all the same.",
      medium: "Where the risk is above the level medium, somebody is asked all the same.",
      high: "This has the highest level of risk already: no risk will make it ask anybody.",
    },
    replyRisk: {
      none: "A reply with any warning is asked about all the same.",
      low: "A reply with warnings above the level low is asked about all the same.",
      medium: "A reply with warnings above the level medium is asked about all the same.",
      high: "This reply has warnings of the highest level already: no warning in a later one will make it ask anybody.",
    },
    what: "Allow without asking",
    chosen: {
      request: "Approving also allows later requests without asking anybody, as you chose above.",
      response: "Approving also allows later replies without asking anybody, as you chose above.",
    },
    notNow: "Not now",
    kinds: { exact: "Exactly this", shape: "Any like this" },
    scopes: {
      session: "in this session, for {name} of {server}",
      tool: "for {name} of {server}, for {client}",
      server: "for any tool of {server}, for {client}",
      key: "for any tool of any server, for {client}",
    },
    /** How the gateway knows the tool of a later request. */
    known: {
      claimed: "Which tool asks is reported by the client and not seen by the gateway: it counts for requests whose tool is reported.",
      inferred:
        "Which tool asks was inferred: a server may wait until this tool is in use, and then ask for something else. It counts for requests whose tool is inferred.",
    },
    hours: "For how long",
    hoursOf: { 1: "1 hour", 24: "1 day", 168: "7 days", 720: "30 days" },
    uses: "How many times at most",
    usesHint: (most: number): string => `A number from 1 to ${most.toLocaleString("en-US")}.`,
  },
  live: {
    over: "This was decided, or ended, while you were reading. Your page is out of date: what you press here does not count any more.",
    seeOutcome: "See how it ended",
    changed: "The content was changed while you were reading. Your page is out of date and shows the old version.",
    seeNewVersion: "Load the new version; changes that you have not sent are lost",
    voted: "Somebody approved this while you were reading. You can still decide.",
    left: "You gave this up on another page. Your page is out of date.",
    reload: "Load this page again; changes that you have not sent are lost",
  },
  problem: { still: "Nothing is decided yet. What you wrote is still in its fields." },
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
    replyLink: "If the reply needs a review too, its link comes the same way as this one.",
    replyLinkSent: "Its link comes the same way as this one.",
    votedSoFar: "{votes} of {quorum} people have approved so far.",
  },
  counts: {
    systemPrompt: "system prompt",
    messages: (n: number): string => plural(n, "message", "messages"),
    tools: (n: number): string => plural(n, "tool", "tools"),
    images: (n: number): string => plural(n, "image", "images"),
    audio: (n: number): string => plural(n, "sound", "sounds"),
    texts: (n: number): string => plural(n, "text", "texts"),
    arguments: "the arguments of the tool",
    blocks: (n: number): string => plural(n, "part", "parts"),
    characters: (n: number): string => `${plural(n, "character", "characters")} of text`,
  },
  pieces: {
    systemPrompt: "System prompt",
    message: (n: number, of: number): string => `Message ${n} of ${of}`,
    text: "Text",
    image: "Image",
    audio: "Sound",
    toolUse: "Tool use {name}, id {id}",
    toolResult: "Result of the tool use {id}",
    failedToolResult: "Result of the tool use {id}, marked as an error",
    run: "Run {name}, id {id}, with these arguments",
    toolError: "The tool says that this is an error.",
    textOf: (n: number, of: number): string => `Text ${n} of ${of}`,
    becomesVector: "becomes a vector",
    vectorOf: "Vector {n}: {numbers}",
    moreVectors: (n: number): string => `and ${plural(n, "more vector", "more vectors")}`,
    vectorsLead: "Each begins with these numbers, rounded here. All of them are delivered as they came; they cannot be edited.",
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

type Sure = Pick<ReviewView["asker"], "provenance" | "evidence">;

/** How sure it is which client request is served, in a phrase, for the top of the page. */
export const surePhrase = ({ provenance, evidence }: Sure): string =>
  evidence === undefined ? provenancePhrases[provenance] : evidencePhrases[evidence];

/** The same in full. */
export const sureWords = ({ provenance, evidence }: Sure): string =>
  evidence === undefined ? provenanceWords[provenance] : evidenceSentences[evidence];

const provenancePhrases: Readonly<Record<Provenance, string>> = {
  claimed: "Claimed by the host.",
  inferred: "Inferred, may be wrong.",
  observed: "Observed by Countersign.",
  own: "It asks for itself.",
};

const provenanceWords: Readonly<Record<Provenance, string>> = {
  claimed: "Claimed by the host. Countersign did not see the client’s own request.",
  inferred: "Inferred: it was worked out from the client requests that were open, and may be wrong.",
  observed: "Observed: Countersign saw the client’s own request.",
  own: "The client asks for itself: no MCP server is behind the request.",
};

const evidenceSentences: Readonly<Record<Evidence, string>> = {
  responseStream: "Observed: the server asked on the response stream of this very request.",
  namedTask: "Observed: the server named the task that it runs for this request.",
  onlyInFlight:
    "Inferred: the server did not show which request it serves, and this was the only one in flight. That may be wrong: a server can ask at any time.",
  newestInFlight:
    "Inferred: the server did not show which request it serves, and of several in flight this one began last. That may be wrong.",
};

/** What a run is doing now, for somebody who opens a decided review. `waiting` says nothing that the outcome does not say. */
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

/** The same where the run ended with its key; `cancelled` pages say the first by themselves. */
export const keyEndWords = {
  keyRevoked: "The API key of the request was revoked.",
  keyExpired: "The API key of the request expired.",
  nothing: "Nothing will be sent or delivered any more.",
} as const satisfies Readonly<Record<KeyEnd | "nothing", string>>;

const noteFields = {
  temperature: "the temperature",
  topP: "top_p",
  topK: "top_k",
  stopSequences: "the stop sequences",
  metadata: "the metadata",
  toolChoice: "the choice of tools",
  responseFormat: "the format of the reply",
} as const;

export function noteWords(note: Note): string {
  switch (note.kind) {
    case "omitted":
      return `Left out: ${noteFields[note.field]}. ${note.why}`;
    case "clamped":
      return `Changed: ${noteFields[note.field]} from ${note.from} to ${note.to}, the nearest that the model takes.`;
    case "overLimit":
      return `The model reported ${plural(note.reportedTokens, "token", "tokens")} where ${note.maxTokens.toLocaleString("en-US")} were allowed. ${note.cut ? "The reply was cut." : "The reply was not cut."}`;
    case "contextAdded":
      return `Added by us at the end of the system prompt, because the server asked for context: ${note.parts.map((part) => contextParts[part]).join(" and ")} (${note.characters.toLocaleString("en-US")} characters).`;
    case "toolNeedsSampling":
      return "The tool asks its caller for sampling, and a function is run without it.";
    default:
      return unreachable(note);
  }
}

const contextParts = { instructions: "the server’s instructions", arguments: "the arguments of the client’s request" } as const;

const ordinals = (path: string): number[] => [...path.matchAll(/\/(\d+)/g)].map((match) => Number(match[1]) + 1);

type Task = SamplingRequest["task"];

/** A place in the content, for people: "Message 2, part 1". Made from the pointer's shape and numbers, and the request's task. */
export function placeWords(path: string, task?: Task): string {
  const [first, second, third] = ordinals(path);
  if (task === "function") {
    if (path.startsWith("/messages/")) return "Arguments";
    const part = path.endsWith("/structuredContent") ? ", structured content" : second === undefined ? "" : `, part ${second}`;
    if (path.startsWith("/content/")) return `Result${part}`;
  }
  if (task === "embedding" && path.startsWith("/messages/")) return `Text ${first}`;
  if (path === "" || path === "/") return reviewWords.changes.rest;
  if (path === "/systemPrompt") return "System prompt";
  if (path === modelPath) return "Model that is asked first";
  if (path === "/maxTokens") return "Longest reply";
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

/** The id of the piece of the page that shows a place. */
export function placeId(path: string): string {
  const [first] = ordinals(path);
  if (path.startsWith("/messages/")) return `message-${first}`;
  if (path.startsWith("/tools/")) return `tool-${first}`;
  if (path.startsWith("/content/")) return `part-${first}`;
  if (path.startsWith("/systemPrompt")) return "system-prompt";
  return "settings";
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

/** The time left, rounded down: without seconds from one minute on, because it was counted when the page was made. */
export function leftWords(milliseconds: number): string {
  return spanWords(milliseconds < 60_000 ? milliseconds : milliseconds - (milliseconds % 60_000));
}

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
