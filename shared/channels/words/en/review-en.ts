// What every channel says of a review in the same words, in English.
//
// `{name}` in a sentence is a place: the renderer puts a value there, and marks what came from
// outside.

import type { KeyEnd } from "../../../model/gate.ts";
import type { CancelCause } from "../../../model/outcome.ts";
import { vectorsEn } from "../../../words/en/vectors-en.ts";
import { whyEn } from "../../../words/en/why-en.ts";
import type { UndeliverableCause } from "../../../review/decision.ts";
import type { AssociationConfidence } from "../../../review/review-facts.ts";
import type { ReviewState } from "../../../review/view.ts";
import { formEn } from "./form-en.ts";
import { kindsEn } from "./kinds-en.ts";
import { noticeEn } from "./notice-en.ts";
import { riskEn, riskLevelsEn } from "./risk-en.ts";

const editFault = {
  notJson: "This is not valid JSON. A text stands in quotes.",
  notObject: "This must stay a JSON object: { … }.",
  empty: "This text cannot be empty. Deny the request if nothing should be sent.",
  repeatedMember: "A member is given twice. Keep one of them.",
  notWholeNumber: "This must be a whole number, 1 or more.",
  notNumber: "This must be a number such as 0.7, or empty.",
  raised: "This can only be lowered; {requested} was requested.",
  unknownField: "The form has a field that this content does not have.",
  invalidRequest: "With these changes it is no longer a valid sampling request.",
  invalidReply: "With these changes it is no longer a valid reply.",
  modelNotListed: "This model cannot serve the request; choose one of the list.",
  notWritable: "A reply cannot be written here.",
  blankReply: "Write a reply first.",
  notRequestedJson: "This must stay JSON, as requested.",
  notRequestedSchema: "This must stay JSON that matches the schema in the prompt, as requested.",
} as const;

/** What no JSON may have that is sent. */
const jsonFault = {
  surrogate: "This has a lone surrogate, which is no character.",
  surrogateName: "This has a member whose name has a lone surrogate.",
  reservedName: "This has a member named __proto__, which is refused.",
  hugeNumber: "This has a number that is too large.",
  depth: "This is nested more than 64 levels deep.",
  notJson: "This is not valid JSON.",
} as const;

/** What is wrong with what was typed into a field, of a form or of a tool's arguments. */
const fieldFault = {
  missing: "This is required.",
  wrongType: "This must be {types}.",
  or: " or ",
  types: {
    string: "a text",
    number: "a number",
    integer: "a whole number",
    boolean: "true or false",
    object: "a JSON object",
    array: "a list",
    null: "null",
  },
  notOffered: "Choose one of the list.",
  notAllowed: "The server does not allow this.",
  repeatedItem: "Two items are the same. Keep one of them.",
  noMatch: "This does not match the pattern that the server gives.",
  unfit: "This does not fit what the server asks for.",
  tooMuchWork: "It would take too much work to check this.",
  tooShort: "This must have at least {n, # character/# characters}.",
  tooLong: "This must have at most {n, # character/# characters}.",
  tooFew: "At least {n, # is/# are} needed.",
  tooMany: "At most {n, # is/# are} allowed.",
  tooSmall: "This must be {limit} or more.",
  tooLarge: "This must be {limit} or less.",
  notAbove: "This must be more than {limit}.",
  notBelow: "This must be less than {limit}.",
  notMultiple: "This must be a multiple of {limit}.",
  notOfFormat: {
    email: "This must be an email address.",
    uri: "This must be an address such as {example}.",
    date: "This must be a date such as {example}.",
    "date-time": "This must be a date and time such as {example}.",
  },
  notOfOther: "This must be a text of the format {format}.",
} as const;

/** `short` stands behind the sentence on who asks, `full` by itself. */
const sure: Readonly<Record<AssociationConfidence, { readonly short: string; readonly full: string }>> = {
  claimed: {
    short: "Unverified: reported by the client.",
    full: "Unverified: reported by the client. Countersign did not see the client’s own request.",
  },
  inferred: {
    short: "Inferred, may be wrong.",
    full: "Inferred from the client requests that were open. This may be wrong.",
  },
  observed: { short: "Observed by Countersign.", full: "Observed: Countersign saw the client’s own request." },
  own: { short: "The client asks for itself.", full: "The client asks for itself: no MCP server is behind the request." },
  responseStream: {
    short: "Observed on the request’s own stream.",
    full: "Observed: the server asked on the response stream of this very request.",
  },
  namedTask: {
    short: "Observed: the server named the request’s task.",
    full: "Observed: the server named the task that it runs for this request.",
  },
  inputRound: {
    short: "Observed: the server asked in the result of this very request.",
    full: "Observed: the server answered this very request by asking for this reply first.",
  },
  onlyInFlight: {
    short: "Inferred: the only request in flight; may be wrong.",
    full: "Inferred: the server did not say which request it serves, and this was the only one in flight. This may be wrong: a server can ask at any time.",
  },
  newestInFlight: {
    short: "Inferred: the newest of several requests in flight; may be wrong.",
    full: "Inferred: the server did not say which request it serves, and of several in flight this one is the newest. This may be wrong.",
  },
};

const note = {
  omitted: "Left out: {field}. {why}",
  clamped: "Changed: {field} from {from} to {to}, the nearest value that the model supports.",
  overLimit: {
    cut: "The model reported {reported} {reported, token/tokens} where {allowed} were allowed. The reply was cut.",
    whole: "The model reported {reported} {reported, token/tokens} where {allowed} were allowed. The reply was not cut.",
  },
  contextAdded: "Added by Countersign at the end of the system prompt, because the server asked for context: {parts} ({n} characters).",
  contextParts: {
    instructions: "the server’s instructions",
    arguments: "the arguments of the client’s request",
    both: "{first} and {second}",
  },
  notPassedOn: "Not passed on to any model: {members}.",
  between: ", ",
  toolNeedsSampling: "The tool requires sampling from its caller, which a function call does not offer.",
  fields: {
    temperature: "the temperature",
    topP: "top_p",
    topK: "top_k",
    stopSequences: "the stop sequences",
    metadata: "the metadata",
    toolChoice: "the choice of tools",
    responseFormat: "the format of the reply",
  },
} as const;

/** A pointer into the content, for people: "Message 2, part 1". */
const place = {
  everythingElse: "Everything else",
  arguments: "Arguments",
  inputResponses: "The client’s answers to the server",
  definition: "What the server says of the tool",
  result: "Result",
  text: "Text {n}",
  systemPrompt: "System prompt",
  written: "Your reply",
  model: "Model that is asked first",
  maxTokens: "Max tokens",
  temperature: "Temperature",
  stopSequences: "Stop sequences",
  stopSequence: "Stop sequence {n}",
  tool: "Tool {n}",
  toolDescription: "Description of tool {n}",
  reply: "Reply",
  message: "Message {n}",
  // What follows one of these.
  part: ", part {n}",
  toolResult: ", result {n}",
  structured: ", structured content",
  input: ", input of the tool use",
} as const;

const keyEnd: Readonly<Record<KeyEnd, string>> = {
  keyRevoked: "The API key of the request was revoked.",
  keyExpired: "The API key of the request expired.",
};

export const reviewEn = {
  /** Between words and at their end, where a renderer puts them together. */
  marks: { comma: ", ", semicolon: "; ", colon: ": ", stop: "." },
  kinds: kindsEn,
  sure,
  note,
  /** Why a model is in the list. It may quote a hint or a name from outside. */
  why: whyEn,
  risk: riskEn,
  riskLevels: riskLevelsEn,
  serverSays: "The server says: {claims}.",
  lastCall: {
    same: "The last approved call had the same arguments.",
    differs: "{n, # argument differs/# arguments differ} from the last approved call.",
  },
  claim: {
    readOnlyHint: { yes: "read-only", no: "not read-only" },
    destructiveHint: { yes: "destructive", no: "not destructive" },
    idempotentHint: { yes: "idempotent", no: "not idempotent" },
    openWorldHint: { yes: "reaches other systems", no: "reaches no other systems" },
  },
  place,
  atMost: "up to {cost}",
  /** Why an edit was refused. */
  editFault,
  fieldFault,
  jsonFault,
  /** In place of invisible text. */
  outside: {
    unseen: { tags: "{n} tag characters", selectors: "{n} variation selectors", spells: " that spell “{text}”", spaces: "{n} spaces" },
    empty: "(empty)",
    lineBreak: "line break",
    blankLines: "{n, # blank line/# blank lines}",
  },
  counts: {
    characters: "{n, # character/# characters} of text",
    image: "{n, # image/# images}",
    audio: "{n, # sound/# sounds}",
    pdf: "{n, # PDF/# PDFs}",
    tool: "{n, # tool/# tools}",
  },
  /** Of a form. */
  form: formEn,
  raised: "The policy’s juror asks for a person.",
  gone: "The requestor has disconnected. You can still decide; the reply is then kept for one hour, for the same request.",
  named: "The client asked for the model {name}. If another model is used, its reason says so.",
  namedVersion: "The client asked for the model {name}, version {version}. If another model is used, its reason says so.",
  namedProvider: "It named the provider {provider}.",
  json: "The reply must be JSON.",
  texts: "{n, # text becomes a vector/# texts become vectors}.",
  vectors: vectorsEn,
  /** Whose own login at the server a call is sent with. */
  account: {
    label: "Account at the server",
    named: "{account}, the login of {owner} at {issuer}",
    unnamed: "the login of {owner} at {issuer}, which does not name the account",
  },
  toolError: "The tool says that this is an error.",
  cached: "This reply comes from the cache: it was made {at} for an identical request.",
  noStopReason: "not given",
  risks: "Warnings",
  ownRequest: "This is your own request: another reviewer has to approve it. You can deny it.",
  ownReply: "You wrote this reply: another reviewer has to approve it. You can deny it.",
  /** Who is told the reason for a denial. */
  reason: {
    told: { server: "The server will be told this reason.", client: "The client will be told this reason." },
    kept: {
      server: "Other reviewers can see this reason. The server is not told.",
      client: "Other reviewers can see this reason. The client is not told.",
    },
    unsaid: "Other reviewers can see this reason.",
  },
  /** How it ended. */
  ended: {
    titles: {
      approved: "Approved",
      approvedEdited: "Approved with changes",
      written: "Reply written by a person",
      approvedWritten: "Written reply approved",
      denied: "Denied",
      expired: "Expired",
      cancelled: "Cancelled",
      failed: "Failed",
    } satisfies Record<Exclude<ReviewState["kind"], "open" | "voted"> | "approvedEdited" | "written" | "approvedWritten", string>,
    approved: "{by} approved this on {at}.",
    approvedEdited: "{by} changed and approved this on {at}.",
    written: "{by} wrote this reply in the model’s place on {at}.",
    approvedWritten: "{by} approved a reply that another reviewer wrote in the model’s place, on {at}.",
    denied: "{by} denied this on {at}.",
    expired: "Nobody decided before {at}, so it was denied automatically.",
    cancelled: "The request was withdrawn on {at}. No decision is needed.",
    failed: "The request failed on {at}.",
  },
  /** Why it ended without a decision. */
  cancelled: {
    caller: "The requestor withdrew the request.",
    originatingRequest: "The client request that it served has ended.",
    session: "The client's session has ended.",
    admin: "An operator cancelled the request.",
    stopped: "An operator stopped all such requests.",
    dismissed: "It was put away without an answer.",
    ...keyEnd,
  } satisfies Record<CancelCause, string>,
  undeliverable: {
    noReviewerLeft: "no reviewer is left who may decide",
    noneReached: "no reviewer could be reached",
    contentUnreadable: "its stored content can no longer be read",
  } satisfies Record<UndeliverableCause, string>,
  /** How the request's API key ended the review. */
  keyEnd,
  keyEndNothing: "Nothing more will be sent or delivered.",
  /** An answer that does not count. */
  uncounted: {
    closed: "This was decided before your answer came. Your answer did not count.",
    late: "The deadline has passed. Your answer did not count.",
    ownRequest: "You cannot approve your own request. Another reviewer has to.",
    ownReply: "You cannot approve a reply that you wrote. Another reviewer has to.",
    left: "You left this review. Your answer did not count.",
  },
  /** One line that says what a notice is about, with {server}, {client}, {name} and {model}. */
  notice: noticeEn,
  /** Who handed the review over, with {by}; and their note. */
  handedOver: { by: "Handed over by {by}.", note: "Their note" },
  /** In place of a text that a warning calls a secret. */
  secret: "Left out here, because it looks like a secret. It is on the page.",
  /** Several reviews in one message. */
  digest: "{n, # review waits/# reviews wait} for you",
} as const;
