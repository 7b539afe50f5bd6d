// Every sentence of the review page, and of the pages around it, in English. What other channels say in the same words is in review-en.ts.

import type { Usage } from "../../../model/call.ts";
import type { LinkChannel } from "../../../notice-channels.ts";
import type { ReviewState, RunProgress } from "../../../review/view.ts";
import { plural } from "./review-en.ts";

export const pageEn = {
  product: "Countersign",
  toDecision: "Go to the decision",
  request: {
    closedContent: "What was asked",
    approveTo: "Approve and send to {model}",
    exactly:
      "Approving sends version {version} as shown on this page{changes}, to the model you chose first, and to the others in its list only if that one fails.",
    exactlyOne: "Approving sends version {version} as shown on this page{changes}, to this model only.",
    notSent: "Denying sends nothing to any model.",
  },
  response: {
    closedContent: "The reply",
    approveTo: "Approve and deliver to {server}",
    exactly: "Approving delivers version {version} of the reply as shown on this page{changes}.",
    exactlyOne: "Approving delivers version {version} of the reply as shown on this page{changes}.",
    notSent: "Denying delivers nothing.",
    prompt: "The approved prompt",
    hidden: "This reply was denied. It was not delivered and is no longer shown.",
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
    deadline: "Deadline",
    left: "{span} left",
    whenOpened: "when opened",
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
    inPrompt: "In the prompt: {place}",
    none: "No warnings. Automated checks can miss things.",
  },
  settings: {
    heading: "Settings",
    maxTokens: "Max tokens",
    tokenCount: (n: number): string => plural(n, "token", "tokens"),
    temperature: "Temperature",
    stopSequences: "Stop sequences",
    topP: "top_p",
    topK: "top_k",
    form: "Response format",
    jsonSchema: "The reply must be JSON that fits this schema:",
    jsonSchemaAbove: "The reply must be JSON that fits the schema in the prompt above.",
    toolChoice: "Tool choice",
    metadata: "Metadata",
    includeContext: "Requested context",
    preferences: "Model preferences",
    notGiven: "not given",
    hints: "Preferred models: ",
    priorities: "Priorities: ",
    stopReason: "Finish reason",
    realModel: "Name reported by the provider",
    tokens: "Tokens",
    usage: (usage: Usage): string =>
      `${usage.inputTokens.toLocaleString("en-US")} input, ${usage.outputTokens.toLocaleString("en-US")} output tokens${usage.estimated === true ? " (estimated)" : ""}`,
    tokensRead: (usage: Usage): string =>
      `${plural(usage.inputTokens, "input token", "input tokens")}${usage.estimated === true ? " (estimated)" : ""}`,
  },
  toolChoices: { auto: "the model decides (auto)", required: "a tool must be used (required)", none: "no tools (none)" },
  contexts: { none: "none", thisServer: "this server’s (thisServer)", allServers: "all servers’ (allServers)" },
  models: {
    heading: "Which model",
    unaskedHeading: "Which model would have been asked",
    runsHeading: "Where it runs",
    unrunHeading: "Where it would have run",
    legend: "Which model is asked first",
    order: "The model you choose is asked first. If it fails, the others are asked in this order. No other model receives this.",
    closedOrder: "In this order: each one only if the one before fails.",
    first: "First",
    later: "If those above fail",
    knownAs: "{name}, from {provider}",
    from: "from {provider}",
  },
  notes: { heading: "Differences from the request" },
  changes: {
    heading: "What reviewers changed",
    byWhom: "Version {version} by {by}, {at}",
    preview: "Preview of your changes",
    previewLead: "Nothing is decided yet. Your changes are in the fields below; the Approve button counts them.",
    previewNone: "You have changed nothing.",
    skipped: (lines: number): string => `${plural(lines, "unchanged line", "unchanged lines")} not shown`,
    removed: "removed",
    added: "added",
  },
  outside: {
    rule: "Untrusted content. Links are disabled.",
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
    unseen: (count: number): string =>
      `${plural(count, "invisible character is", "invisible characters are")} shown as labels like {sample}.`,
    lineGoesOn: "the line goes on",
  },
  edit: {
    open: "Edit",
    text: "Change this: {label}",
    object: "Change this, as JSON: {label}",
    limit: "Lower this: {label}",
    removable: "Leave it empty to remove it.",
    kept: "Your change is in the field below and is not sent yet.",
  },
  media: {
    image: (n: string, size: string): string => `Image in ${n}, ${size}. Countersign does not check what it shows.`,
    plain: "The gateway re-encoded this image, and exactly these bytes are sent on. Transparent areas are white.",
    audio: (n: string, size: string): string => `Sound in ${n}, ${size}`,
    unsafe: "Images of this type are not displayed. This is the source.",
    unplayable: "This page cannot show or play this type, so you have not seen its content. All of it is below as base64.",
    notBase64: "This is not base64. It is shown below as received.",
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
    changed: "Preview your changes before you approve. The preview decides nothing.",
    withChanges: (changes: number): string => (changes === 0 ? "" : ` with ${plural(changes, "change", "changes")}`),
    shownChanges: (changes: number): string => (changes === 0 ? "" : ` with the ${plural(changes, "change", "changes")} shown above`),
    preview: "Preview changes",
    reason: "Reason for denying (optional)",
    deny: "Deny",
    ownVote: "You approved version {version}. You can still deny it: one denial ends the review.",
    lookAgain: "Look again",
    lookAgainHint: "This decides nothing. It shows the current state of the review.",
  },
  own: {
    votedHeading: "You have approved this",
    voted: (missing: number): string =>
      `You approved this version on {at}. ${plural(missing, "more person has", "more people have")} to approve before it counts.`,
    leftHeading: "You are no longer asked",
    handedOver: "You handed this to {to} on {at}. They have their own link. With this link you can still read, but not decide.",
    notMine: "You said on {at} that this is not yours. You get no more reminders. With this link you can still read, but not decide.",
  },
  recuse: {
    heading: "Not yours to decide?",
    to: "Hand it over to",
    handOver: "Hand it over",
    handOverHint: "They get their own link. You can then still read here, but not decide.",
    notMine: "This is not mine",
    notMineHint:
      "You get no more reminders; the other reviewers are still asked. If too few reviewers remain to approve it, the request fails at once.",
  },
  grant: {
    heading: { request: "Also allow later requests like this one", response: "Also allow later replies like this one" },
    lead: {
      request:
        "Later requests that you allow here go to a model without review. This takes effect only if you approve, without changes and with the first model.",
      response: "Later replies that you allow here are delivered without review. This takes effect only if you approve without changes.",
    },
    exact: {
      request: "“Exactly this” is an identical request, character by character.",
      response: "“Exactly this” is any reply to an identical request, character by character.",
    },
    shape: {
      request:
        "“Any like this” has the same system prompt, tools, settings, models and kinds of content. Its messages may say anything else, in at most 1,000 characters or two and a half times as many as here.",
      response:
        "“Any like this” is a reply to a request with the same system prompt, tools, settings, models and kinds of content. Request and reply may say anything else.",
    },
    limits: "It expires automatically, and the operator can revoke it earlier. Rules that refuse still apply.",
    risk: {
      none: "A request with any warning is still reviewed.",
      low: "A request with warnings above the level low is still reviewed.",
      medium: "A request with warnings above the level medium is still reviewed.",
      high: "This request already has warnings of the highest level, so no warning causes a later review.",
    },
    replyRisk: {
      none: "A reply with any warning is still reviewed.",
      low: "A reply with warnings above the level low is still reviewed.",
      medium: "A reply with warnings above the level medium is still reviewed.",
      high: "This reply already has warnings of the highest level, so no warning causes a later review.",
    },
    what: "Allow without asking",
    chosen: {
      request: "Approving also allows later requests without review, as you chose above.",
      response: "Approving also allows later replies without review, as you chose above.",
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
      claimed: "The tool is reported by the client, and the gateway does not verify it. This applies to requests whose tool is reported.",
      inferred:
        "The tool was inferred: a server may wait until this tool is in use, and then ask for something else. This applies to requests whose tool is inferred.",
    },
    hours: "For how long",
    hoursOf: { 1: "1 hour", 24: "1 day", 168: "7 days", 720: "30 days" },
    uses: "How many times at most",
    usesHint: (most: number): string => `A number from 1 to ${most.toLocaleString("en-US")}.`,
  },
  live: {
    over: "This review was decided or ended while you were reading. This page is out of date, and its buttons no longer count.",
    seeOutcome: "See how it ended",
    changed: "The content was changed while you were reading. This page is out of date and shows the old version.",
    seeNewVersion: "Load the new version; changes that you have not sent are lost",
    voted: "Another approval came while you were reading. You can still decide.",
    left: "You left this review on another page. This page is out of date.",
    reload: "Load this page again; changes that you have not sent are lost",
  },
  problem: { still: "Nothing is decided yet. What you wrote is still in its fields." },
  states: {
    open: "Open",
    voted: "Waiting for more people",
    linkIsOver: "This link can no longer be used to decide.",
    why: "Why: {why}",
    reason: "Reason given: {reason}",
    replyLink: "If the reply needs a review too, its link comes the same way as this one.",
    replyLinkSent: "Its link comes the same way as this one.",
    votedSoFar: "{votes} of {quorum} people have approved so far.",
  },
  counts: {
    systemPrompt: "system prompt",
    messages: (n: number): string => plural(n, "message", "messages"),
    texts: (n: number): string => plural(n, "text", "texts"),
    arguments: "the arguments of the tool",
    blocks: (n: number): string => plural(n, "part", "parts"),
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
    textOf: (n: number, of: number): string => `Text ${n} of ${of}`,
    becomesVector: "becomes a vector",
    vectorOf: "Vector {n}: {numbers}",
    moreVectors: (n: number): string => `and ${plural(n, "more vector", "more vectors")}`,
    vectorsLead: "These are the first numbers of each vector, rounded. The vectors are delivered unchanged and cannot be edited.",
    structured: "Structured content",
    link: "Link to a resource (not fetched)",
    resource: "Embedded resource",
    tools: "Tools offered to the model",
    tool: "Tool",
    schema: "Input schema",
    description: "Description",
    name: "Name",
    uri: "URI",
    mimeType: "Type",
    reply: "Reply",
  },
  roles: { user: "user", assistant: "assistant" },
  readAndDecide: "Read it, change it if you like, and decide.",
  /** Where a tool runs. */
  run: {
    request: {
      stillHere: "Nothing has run yet. Once approved, the tool runs: this is an action, not a question to a model.",
      closedContent: "What was to run",
      approveTo: "Approve and run {model}",
      exactly:
        "If you approve, this runs: version {version} as shown on this page{changes}, on the server you chose first, and on the next only if that one fails.",
      exactlyOne:
        "If you approve, this runs: version {version} as shown on this page{changes}, on this server only. Changed arguments are checked against the tool’s schema first.",
      notSent: "Denying runs nothing.",
    },
    response: {
      closedContent: "The result",
      approveTo: "Approve and deliver to {server}",
      exactly: "Approving delivers version {version} of the result as shown on this page{changes}.",
      exactlyOne: "Approving delivers version {version} of the result as shown on this page{changes}.",
      notSent: "Denying delivers nothing. It does not undo what the tool did.",
      prompt: "What ran",
      hidden: "This result was denied. It was not delivered and is no longer shown. What the tool did is not undone.",
    },
  },
  /** Vectors cannot be changed. */
  vectors: {
    lookAndDecide: "Look at it, and decide.",
    closedContent: "The vectors",
    exactly: "Approving delivers these vectors unchanged.",
    exactlyOne: "Approving delivers these vectors unchanged.",
    prompt: "The approved texts",
  },
  whoAsks: "Who asks",
  askedBy: "Asked by",
  /** After the label `askedBy`. */
  samplingAsks: "{server} for {client}, while it handles {method} {name}.",
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
  runProgress: {
    generating: "The tool runs now.",
    responseReview: "The tool has run; its result waits for its own review.",
    completed: "The result was delivered.",
  } satisfies Partial<Record<RunProgress, string>>,
  clientGrant: {
    session: "in this session, {name} from {client} itself",
    tool: "{name} from {client} itself",
    server: "anything from {client} itself",
    key: "anything from {client}, from any server",
  },
  runGrant: {
    lead: "Later runs that you allow here happen without review. This takes effect only if you approve without changes.",
    shape: {
      request:
        "“Any like this” is the same tool with any other arguments, in at most 1,000 characters or two and a half times as many as here.",
      response: "“Any like this” is the result of the same tool, run with any arguments.",
    },
    scopes: {
      session: "in this session, {name} on {server}",
      tool: "{name} on {server} for {client}",
      server: "any tool of {server} for {client}",
    },
  },
  /** The message on top of the page after a decision that did not count. */
  answers: {
    sentBefore: "This form was sent before. Nothing more was decided; this page shows the current state.",
    stale: "The content changed while you were reading. This is the new version; please read it before you decide.",
    staleChanges: "The content changed while you were reading. This is the new version; your changes were for the old one.",
    notAReviewer: "You are not among the reviewers of this request.",
    invalidEdit: "Some of your changes cannot be sent. Nothing was decided.",
    cannotBe: { request: "Some of your changes cannot be sent.", response: "Some of your changes cannot be delivered." },
    unseenChanges:
      "Nothing was decided: the page that you approved did not show your changes. They are shown below; check them, then approve.",
    giveUp: {
      ownRequest: "This is your own request, so you cannot choose who decides it. You can say that it is not yours.",
      left: "You left this review before. Nothing was changed.",
      hasApproved: "You have approved this, and your approval stands. You can still deny it.",
      isAskedAlready: "That person is already asked. Nothing was changed; you are still asked too.",
      noSuchReviewer: "That person cannot be asked here. Nothing was changed; you are still asked.",
      unreachable: "That person cannot be reached by any channel, or may not approve this. Nothing was changed; you are still asked.",
    },
    noGrant: {
      title: "Nothing was decided: later requests cannot be allowed here.",
      message:
        "Later requests can be allowed only with an approval without changes and with the first model. Choose “Not now” to approve only this one, or remove your changes.",
    },
    uses: {
      title: "Nothing was decided: the number of later requests is not valid.",
      message: (most: number): string => `How many times at most: write a whole number from 1 to ${most.toLocaleString("en-US")}.`,
    },
    nonce: {
      early: "The button was pressed too soon after the page opened. Nothing was decided; read everything, then press it again.",
      late: "This page was open for more than half an hour. Nothing was decided; your changes are still here. Look again, then decide.",
      forged: "This form does not belong to this page. Nothing was decided; look again, then decide.",
    },
  },
  /** The pages of an expired link. */
  expiredLink: {
    title: "This link has expired",
    until: "The link was valid until {until}.",
    states: {
      open: "The review is still open. Nobody has decided it.",
      voted: "The review is still open: more people have to approve it.",
      approved: "The review is over: it was approved.",
      denied: "The review is over: it was denied.",
      expired: "The review is over: nobody decided in time, so it was denied automatically.",
      cancelled: "The review is over: the request was withdrawn.",
      failed: "The review is over: the request failed.",
    } satisfies Record<ReviewState["kind"], string>,
    unsendable: "A new link cannot be sent for it. Ask the operator of this Countersign.",
    offer: "A new link can be sent to you, through the same channel and to the address on file only. This link stays expired.",
    renew: "Send me a new link",
    problems: {
      early: "The button was pressed too soon after the page opened. Nothing was sent; press it again.",
      late: "This page was open for more than half an hour. Nothing was sent; press the button again.",
      forged: "This form does not belong to this page. Nothing was sent; press the button again.",
      decided: "Your answer came after the link expired. It did not count.",
      tooOften: "At most three new links are sent in an hour. Nothing was sent; try again later.",
    },
    sent: {
      title: "A new link is on its way",
      lead: "It was sent {channel}, to the address on file. It may take a minute. You can close this page.",
      channels: {
        email: "by email",
        slack: "in Slack",
        webhook: "through your webhook",
        outbox: "to the gateway’s list of notices, which its operator can read",
      } satisfies Record<LinkChannel, string>,
    },
  },
  /** The pages without a review. */
  plain: {
    noSuchLink: {
      title: "There is nothing at this link",
      lead: "The address is incomplete, or the review is no longer stored.",
      help: "If you came from an email or a message, open the link there again. Some programs cut long addresses in two: then copy the whole address. If that does not help, ask the operator of this Countersign for a new link.",
    },
    problems: {
      badRequest: {
        title: "That could not be read",
        lead: "The form is not one that this page sends. Nothing was decided.",
      },
      crossSite: {
        title: "This form came from another site",
        lead: "Decisions are accepted only from the review page itself. Nothing was decided. Open the link from your email or message again, and decide there.",
      },
      tooLarge: {
        title: "That is too large",
        lead: "The form is larger than this page accepts. Nothing was decided. Shorten your changes, or deny the request.",
      },
      wrongType: { title: "That is not a form", lead: "This address accepts only the review page’s own form. Nothing was decided." },
      tooMany: { title: "Too many tries", lead: "Nothing was decided. Wait a minute, then open the link again." },
      fault: {
        title: "Something went wrong here",
        lead: "The gateway had an error. Open the link again to see whether anything was decided.",
      },
    },
    quote: "If you ask for help, quote this: ",
  },
} as const;
