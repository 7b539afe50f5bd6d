// Every sentence of the review page in English. What other channels say in the same words is in
// review-en.ts; the pages around it are in page-answers-en.ts.

import type { Gate } from "../../../model/gate.ts";
import type { JurorWhy } from "../../../policy/juror.ts";
import type { RequestKind } from "../../../review/review-facts.ts";
import type { RunProgress } from "../../../review/view.ts";
import type { PluralForms } from "../plural-forms.ts";
import { bytes, clockTime, dollars, stampedTime } from "./page-numbers-en.ts";
import { pageAnswersEn } from "./page-answers-en.ts";
import { pageFormEn } from "./page-form-en.ts";
import { pageGrantEn } from "./page-grant-en.ts";
import { pageRedactionEn } from "./page-redaction-en.ts";
import { pageWrittenEn } from "./page-written-en.ts";

/** Of calls outside its bounds the page says nothing. */
type RaisedWords = Readonly<Record<Exclude<JurorWhy, "outOfBounds">, string>>;

/** While it is open, and afterwards. */
type Tenses = { readonly now: string; readonly then: string };

const replies: Tenses = { now: "{model} replies to {client}", then: "{model} replied to {client}" };

/** The page's heading. {caller} is the server and its tool. */
const headings: Readonly<Record<RequestKind, Readonly<Record<Gate, Tenses>>>> = {
  sampling: {
    request: { now: "{caller} asks {model}", then: "{caller} asked {model}" },
    response: { now: "{model} replies to {caller}", then: "{model} replied to {caller}" },
  },
  text: { request: { now: "{client} asks {model} for text", then: "{client} asked {model} for text" }, response: replies },
  translation: {
    request: { now: "{client} asks {model} for a translation", then: "{client} asked {model} for a translation" },
    response: { now: "{model} translates for {client}", then: "{model} translated for {client}" },
  },
  embedding: {
    request: { now: "{client} asks {model} for vectors", then: "{client} asked {model} for vectors" },
    response: { now: "{model} gives {client} vectors", then: "{model} gave {client} vectors" },
  },
  functionChoice: {
    request: { now: "{client} asks {model} to choose a function", then: "{client} asked {model} to choose a function" },
    response: { now: "{model} chooses for {client}", then: "{model} chose for {client}" },
  },
  multimodal: {
    request: { now: "{client} asks {model} about images", then: "{client} asked {model} about images" },
    response: replies,
  },
  toolCall: {
    request: { now: "{client} wants to run {name} on {server}", then: "{client} wanted to run {name} on {server}" },
    response: { now: "{name} ran on {server} for {client}", then: "{name} ran on {server} for {client}" },
  },
  form: {
    request: { now: "{caller} asks you", then: "{caller} asked" },
    response: { now: "An answer for {caller}", then: "An answer for {caller}" },
  },
  address: {
    request: { now: "{caller} asks you to open", then: "{caller} asked for an address to be opened" },
    response: { now: "An answer for {caller}", then: "An answer for {caller}" },
  },
};

const untrusted = " · untrusted text";

export const pageEn = {
  /** Of `<html lang>`, and of the script's plurals. */
  lang: "en",
  product: "Countersign",
  toDecision: "Go to the decision",
  decideAs: "You decide as",
  you: "You",
  headings,
  noModel: "no model",
  steps: {
    label: "Steps",
    model: { asked: "Prompt", served: "Model", answered: "Reply" },
    run: { asked: "Call", served: "Tool", answered: "Result" },
    vectors: { asked: "Texts", served: "Model", answered: "Vectors" },
  },
  time: { clock: clockTime, stamp: stampedTime },
  dollars,
  strip: {
    expires: "Expires {at}, in {left}",
    upTo: "up to {cost}",
    cost: "cost {cost}",
    left: "{left} left",
    until: "until {at}",
    /** What the countdown's script says from an hour on. */
    hours: "{h} h {m} min",
  },
  warnings: {
    heading: "{n, # warning/# warnings}",
    all: { low: "low", medium: "medium", high: "high" },
    some: { low: "{n} low", medium: "{n} medium", high: "{n} high" },
    inPrompt: "In the prompt: {place}",
    place: "in: {place}",
    inLine: " line {n}",
    none: "none found",
  },
  facts: {
    heading: "Details",
    maxTokens: "{n} max tokens",
    owner: "Client’s owner",
    model: "Model",
    answeredBy: "Answered by",
    cost: "Cost",
    warnings: "Warnings",
    differences: "Differences from the request",
    reviewers: "Reviewers",
    reviewersOf: "{needed} of {of}: {names}",
    rule: "Rule",
    content: "Content",
    request: "Request",
    version: "version {version}, {run}, {digest}",
  },
  settings: {
    maxTokens: "Max tokens",
    temperature: "Temperature",
    topP: "top_p",
    topK: "top_k",
    dimensions: "Dimensions",
    form: "Response format",
    jsonSchema: "The reply must be JSON that fits this schema:",
    toolChoice: "Tool choice",
    parallelToolCalls: "Tool calls in one reply",
    severalToolCalls: "any number",
    oneToolCall: "one at most",
    metadata: "Metadata",
    includeContext: "Requested context",
    preferences: "Model preferences",
    notSet: "not set",
    hints: "Preferred models: ",
    priorities: "Priorities: ",
    stopReason: "Finish reason",
    realModel: "Name reported by the provider",
    tokens: "Tokens",
    usage: "{input} input, {output} output tokens",
    usageCached: "{input} input ({cached} from the provider’s cache), {output} output tokens",
    tokensRead: "{input, # input token/# input tokens}",
    estimated: "{usage} (estimated)",
    was: "was {before}",
  },
  toolChoices: { auto: "the model decides (auto)", required: "a tool must be used (required)", none: "no tools (none)" },
  contexts: { none: "none", thisServer: "this server’s (thisServer)", allServers: "all servers’ (allServers)" },
  models: {
    heading: "Model",
    unaskedHeading: "Model that would have been asked",
    runsHeading: "Runs on",
    unrunHeading: "Would have run on",
    legend: "Model that is asked first",
    order: "If it fails, the others are asked in this order. No other model gets this.",
    knownAs: "{name}, from {provider}",
    from: "from {provider}",
  },
  changes: {
    changed: "Changed",
    byWhom: "{by} changed: {fields}",
    versionBy: "{by} changed this, {at}",
    skipped: "{n, # unchanged line/# unchanged lines} not shown",
    removed: "removed",
    added: "added",
    sent: { request: "Text that is sent:", response: "Text that is delivered:" },
    closed: "The changed text:",
    nothing: "You have changed nothing.",
    preview: "{n, # change/# changes}: {fields}.",
    undecided: "Nothing is decided yet.",
  },
  outside: {
    server: `From {server}${untrusted}`,
    serverAndUs: `From {server}, with Countersign’s words for the format of the reply${untrusted}`,
    serverAsAssistant: `From {server}, as a model’s words${untrusted}`,
    model: `From {model}${untrusted}`,
    client: `From {client}${untrusted}`,
    clientAndUs: `From {client}, with Countersign’s words for its task${untrusted}`,
    clientAsAssistant: `From {client}, as a model’s words${untrusted}`,
    tool: `From the tool {name}${untrusted}`,
    lineGoesOn: "the line goes on",
    lines: "Lines {from}–{to} of {of}",
    size: "{n, # character/# characters}",
    sizeOfLines: "{lines, # line/# lines}, {n, # character/# characters}",
  },
  edit: {
    open: "Edit",
    undo: "Undo",
    limit: "Can only be lowered.",
    removable: "Leave it empty to remove it.",
    json: "JSON",
  },
  call: {
    said: "What {server} says of the tool",
    item: "Item {n}",
    addItem: "Add an item",
    another: "For one more item, preview first.",
    notSet: "not set",
    required: "required",
    unset: "{n, # more that is not set/# more that are not set}",
    out: { leaveOut: "Leave out", remove: "Remove", null: "Set to null" },
    initial: "default: {value}",
    before: "{name} was {value} in the last approved call.",
    absentBefore: "{name} was not set in the last approved call.",
    moreBefore: "{n, # more difference/# more differences} from the last approved call.",
    sameAsBefore: "The same arguments as in the last approved call.",
  },
  media: {
    image: "Image in {place}, {size}. Countersign does not check what it shows.",
    plain: "Re-encoded; exactly these bytes are sent on. Transparent areas are white. Text checks do not read images.",
    audio: "Sound in {place}, {size}",
    unsafe: "Images of this type are not displayed. This is the source.",
    unplayable: "This page cannot show or play this type, so you have not seen its content. All of it is below as base64.",
    notBase64: "This is not base64. It is shown below as received.",
    bytes,
  },
  decide: {
    heading: "Decision",
    /** The button: {vote}, {changes} and {warnings} are the phrases below, or nothing. */
    approve: "Approve{vote}{changes}{warnings}",
    /** The same of a tool’s result, and its other button. */
    deliver: "Deliver{vote}{changes}{warnings}",
    withhold: "Withhold",
    vote: " ({vote} of {needed})",
    withChanges: { one: " with {n} change", other: " with {n} changes" } satisfies PluralForms,
    despite: { one: " despite {n} warning", other: " despite {n} warnings" } satisfies PluralForms,
    /** What Approve does: {model}, {server} and {client} get it. */
    effect: {
      request: { same: "Approve sends it to {model}.", changed: "Approve sends your version to {model}." },
      response: { same: "Approve delivers it to {to}.", changed: "Approve delivers your version to {to}." },
      run: { same: "Approve runs it on {server}.", changed: "Approve runs your version on {server}." },
      result: { same: "Deliver gives it to {to}.", changed: "Deliver gives your version to {to}." },
    },
    moreVotes: { one: "{others} must approve too.", some: "{n} of {others} must approve too." },
    preview: { request: "Preview what is sent", response: "Preview what is delivered" },
    more: "More choices",
    reason: "Reason for denying (optional)",
    deny: "Deny",
    notUndone: "Withholding does not undo what the tool did.",
    ownVote: "You approved version {version}. You can still deny it: one denial ends the review.",
    lookAgain: "Look again",
  },
  /** A denial of a call that stops its tool. */
  stop: {
    deny: { session: "Deny, and stop this tool for the session", key: "Deny, and stop this tool for an hour" },
    heading: "You stopped {name}",
    refused: {
      session: "Further calls in this session are refused until {at}, and those that waited are cancelled.",
      key: "Further calls of {client} are refused until {at}, and those that waited are cancelled.",
    },
    undo: "Let further calls go on",
    undone: "Calls go on as the policy says, since {at}.",
  },
  votes: {
    heading: "Votes",
    approved: "{by} approved, {at}",
    soFar: "{by} approved, {votes} of {quorum}",
    waiting: "{who}: no vote yet",
  },
  own: {
    votedHeading: "You approved it",
    leftHeading: "You are no longer asked",
    handedOver: "You handed it to {to}, {at}. They have their own link. You can still read here, but not decide.",
    notMine: "You said that it is not yours, {at}. You get no more reminders. You can still read here, but not decide.",
  },
  /** With {model}: why the rule's juror did not let a call pass. */
  raised: {
    said: "The policy’s juror {model} did not let this call pass. A model wrote this, and the call may have influenced it:",
    unclear: "The policy’s juror {model} gave no clear answer about this call.",
    timeout: "The policy’s juror {model} did not answer in time.",
    failed: "The policy’s juror {model} could not be asked.",
    overBudget: "The budget of the policy’s juror {model} is used up.",
    stopped: "An operator’s stop kept the policy’s juror {model} from being asked.",
    noModel: "The policy’s juror {model} is no model that can answer now.",
    passesUsedUp: "The policy’s juror {model} let as many calls pass in this hour as the rule allows.",
    raisedBefore: "The policy’s juror {model} did not let the same call pass within the last hour.",
  } satisfies RaisedWords,
  recuse: {
    handOver: "Hand over",
    to: "To",
    note: "Note (optional)",
    handOverHint: "They get their own link and see the note. You can then still read here, but not decide.",
    notMine: "Not mine",
    notMineHint:
      "You get no more reminders; the other reviewers are still asked. If too few reviewers remain to approve it, the request fails at once.",
    handedToYou: "{by} handed it to you, {at}",
  },
  live: {
    over: "This review was decided or ended while you were reading. This page is out of date, and its buttons no longer count.",
    seeOutcome: "See how it ended",
    changed: "The content was changed while you were reading. This page is out of date and shows the old version.",
    seeNewVersion: "Load the new version; changes that you have not sent are lost",
    /** With {by}: the names of those who approved, or of the person who changed it. */
    votedBy: "{by} approved while you were reading.",
    changedBy: "{by} changed the content while you were reading. This page shows the old version.",
    voted: "Another approval came while you were reading.",
    approved: "You approved it on another page. This page is out of date.",
    left: "You left this review on another page. This page is out of date.",
    reload: "Load this page again; changes that you have not sent are lost",
  },
  problem: { still: "What you wrote is still in its fields." },
  /** The outcome: {by} is everybody whose vote made it. */
  states: {
    open: "Open",
    voted: "Waiting for more people",
    approved: "{by} approved it",
    approvedEdited: "{by} approved it with changes",
    denied: "{by} denied it",
    expired: "Expired",
    expiredAt: "Nobody decided in time, so it was denied automatically.",
    cancelled: "Withdrawn",
    failed: "Failed",
    askLess: "Ask me less like this",
    askLessHint: "An operator signs in, sees which past calls a rule would let pass, and decides.",
    closedLink: "This review is closed. Your link no longer decides.",
    at: "At {at}.",
    why: "Why: {why}",
    reason: "Reason: {reason}",
    replyLink: "If the reply needs a review too, its link comes the same way as this one.",
    replyLinkSent: "Its link comes the same way as this one.",
  },
  /** From the approval of the request to the review of the reply, in the browser that approved. */
  next: {
    label: "What happened",
    refresh: "Refresh",
    close: "If the reply waits for you, it appears here. You can close this page: its link then comes the same way as this one.",
    closeThere: "You can close this page: the link then comes the same way as this one.",
    model: {
      answers: "{model} is answering",
      answered: "{model} replied",
      mayWait: "The reply may need a review",
      waits: "The reply waits for your review",
      review: "Review reply",
    },
    run: {
      answers: "{name} is running on {server}",
      answered: "{name} ran on {server}",
      mayWait: "The result may need a review",
      waits: "The result waits for your review",
      review: "Review result",
    },
  },
  prompt: { model: "Approved prompt", run: "What ran", vectors: "Approved texts" },
  hidden: {
    reply: "This reply was denied. It was not delivered and is no longer shown.",
    run: "This result was denied. It was not delivered and is no longer shown. What the tool did is not undone.",
  },
  missing: "There is no reply to show.",
  counts: {
    systemPrompt: "system prompt",
    messages: "{n, # message/# messages}",
    texts: "{n, # text/# texts}",
    arguments: "the arguments of the tool",
    blocks: "{n, # part/# parts}",
  },
  pieces: {
    systemPrompt: "System prompt",
    message: { user: "User message", assistant: "Assistant message" },
    ordinal: "{n} · {title}",
    text: "Text",
    image: "Image",
    audio: "Sound",
    toolUse: "{role} uses {name}",
    assistant: "Assistant",
    model: "Model",
    id: "id {id}",
    toolResult: "Result of {id}",
    failedToolResult: "Result of {id}, marked as an error",
    run: "Run {name} with these arguments",
    runBare: "Run {name} without arguments",
    result: "Result",
    onlyVectorText: "Text that becomes a vector",
    vectorText: "Text {n} of {of}, becomes a vector",
    moreVectors: "and {n, # more vector/# more vectors}",
    vectorsLead: "These are the first numbers of each vector, rounded. The vectors are delivered unchanged and cannot be edited.",
    structured: "Structured content",
    link: "Link to a resource (not fetched)",
    resource: "Embedded resource",
    tools: "Tools",
    tool: "Tool {name}",
    schema: "Input schema of {name}",
    name: "Name",
    uri: "URI",
    mimeType: "Type",
    reply: "Reply",
    replyPart: "Reply, part {n}",
  },
  /** After the label `facts.askedBy`. Emails use it too. */
  askedBy: "Asked by",
  whoAsks: "Who asks",
  samplingAsks: "{server} for {client}, while it handles {method} {name}.",
  runNotice: "Once approved, the tool runs: this is an action, not a question to a model.",
  functionChoiceNotice:
    "The function that the model chooses is returned to the client, or runs on the server where it is registered. Each run is reviewed separately where the policy says so.",
  /** The state of the run, on the page of a decided review. */
  progress: {
    waiting: "",
    generating: "The model is being asked now.",
    responseReview: "The model has replied; the reply waits for its own review.",
    completed: "The reply was delivered.",
    rejected: "The server was told that the user rejected the request.",
    expired: "The server was told that nobody decided in time.",
    cancelled: "The request was withdrawn; nothing more will happen.",
    failed: "The server was told that the request failed.",
  } satisfies Record<RunProgress, string>,
  clientProgress: {
    rejected: "The client was told that the request was denied.",
    expired: "The client was told that nobody decided in time.",
    failed: "The client was told that the request failed.",
  } satisfies Partial<Record<RunProgress, string>>,
  /** Of an approved call whose client has not come for it. */
  unclaimed: "The call has not run yet: its client sends it when it comes back for it.",
  runProgress: {
    generating: "The tool runs now.",
    responseReview: "The tool has run; its result waits for its own review.",
    completed: "The result was delivered.",
  } satisfies Partial<Record<RunProgress, string>>,
  shortcuts: {
    open: "Shortcuts",
    heading: "Keyboard shortcuts",
    keys: { a: "go to Approve", d: "open Deny, with a reason", e: "edit the first text", Esc: "close a menu" },
    note: "A key moves the focus. Enter on a button decides.",
  },
  ...pageFormEn,
  ...pageGrantEn,
  ...pageWrittenEn,
  ...pageRedactionEn,
  ...pageAnswersEn,
} as const;
