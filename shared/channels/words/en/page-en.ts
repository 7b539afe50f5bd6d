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
      "Approving sends version {version} as it stands on this page{changes}, to the model you chose first, and to the others in its list only if that one fails.",
    exactlyOne: "Approving sends version {version} as it stands on this page{changes}, to this model only.",
    notSent: "Denying sends nothing to any model.",
  },
  response: {
    closedContent: "The reply",
    approveTo: "Approve and deliver to {server}",
    exactly: "Approving delivers version {version} of the reply as it stands on this page{changes}.",
    exactlyOne: "Approving delivers version {version} of the reply as it stands on this page{changes}.",
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
  },
  toolChoices: { auto: "if the model wants to (auto)", required: "it has to (required)", none: "no (none)" },
  contexts: { none: "none", thisServer: "this server’s (thisServer)", allServers: "all servers’ (allServers)" },
  models: {
    heading: "Which model",
    unaskedHeading: "Which model would have been asked",
    runsHeading: "Where it runs",
    unrunHeading: "Where it would have run",
    legend: "Which model is asked first",
    order: "The one you choose is asked first. If it fails, the others are asked in this order. No other model gets this.",
    closedOrder: "In this order: the next one only if the one before fails.",
    first: "First",
    later: "If those above fail",
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
    unseen: (count: number): string =>
      `${plural(count, "character that you would not see is", "characters that you would not see are")} shown as labels like {sample}.`,
    lineGoesOn: "the line goes on",
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
    deny: "Deny",
    ownVote: "You have approved version {version}. You can still deny it: one no ends the review.",
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
  recuse: {
    heading: "Not yours to decide?",
    to: "Hand it over to",
    handOver: "Hand it over",
    handOverHint: "They get a link of their own. This link then decides nothing any more.",
    notMine: "This is not mine",
    notMineHint:
      "You are not asked or reminded any more; the others still are. Where too few are left to approve it, the requestor is refused at once.",
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
    voted: "Waiting for more people",
    linkIsOver: "This link decides nothing any more.",
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
  roles: { user: "user", assistant: "assistant" },
  readAndDecide: "Read it, change it if you like, and decide.",
  /** Where a client asks for itself, and where a tool runs. */
  run: {
    request: {
      stillHere: "Nothing has run yet. Once it is approved, it runs: it is an action, and not a question to a model.",
      closedContent: "What was to run",
      approveTo: "Approve and run {model}",
      exactly:
        "If you approve, this runs: version {version} as it stands on this page{changes}, on the server you chose first, and on the next only if that one fails.",
      exactlyOne:
        "If you approve, this runs: version {version} as it stands on this page{changes}, on this server only. Changed arguments are checked against the tool’s schema once more before.",
      notSent: "Denying runs nothing.",
    },
    response: {
      closedContent: "The result",
      approveTo: "Approve and deliver to {server}",
      exactly: "Approving delivers version {version} of the result as it stands on this page{changes}.",
      exactlyOne: "Approving delivers version {version} of the result as it stands on this page{changes}.",
      notSent: "Denying delivers it nowhere. It does not undo what the tool did.",
      prompt: "What ran",
      hidden: "This result was denied. It is not shown any more, and it was delivered nowhere. What the tool did is not undone.",
    },
  },
  /** Vectors cannot be changed. */
  vectors: {
    lookAndDecide: "Look at it, and decide.",
    closedContent: "The vectors",
    exactly: "Approving delivers these vectors, as they came.",
    exactlyOne: "Approving delivers these vectors, as they came.",
    prompt: "The approved texts",
  },
  whoAsks: "Who asks",
  askedBy: "Asked by",
  /** Behind that label. */
  samplingAsks: "{server} for {client}, while it handles {method} {name}.",
  functionChoiceNotice:
    "What the model chooses is handed to the client, or runs on the server where it is registered. Each such run is asked about where the policy says so, by itself.",
  /** What a run is doing now, for somebody who opens a decided review. `waiting` says nothing that the outcome does not say. */
  progress: {
    waiting: "",
    generating: "The model is being asked now.",
    responseReview: "The model has replied; the reply waits for its own review.",
    completed: "The reply was delivered.",
    rejected: "The server was told that the user rejected the request.",
    expired: "The server was told that nobody decided in time.",
    cancelled: "The request was withdrawn; nothing more will happen.",
    failed: "The server was told that it could not be carried out.",
  } satisfies Record<RunProgress, string>,
  clientProgress: {
    rejected: "The client was told that the request was denied.",
    expired: "The client was told that nobody decided in time.",
    failed: "The client was told that it could not be carried out.",
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
    lead: "What you allow here runs without anybody being asked. It counts together with Approve only, and only where you have changed nothing.",
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
  /** What the page says on top after an answer that did nothing. */
  answers: {
    sentBefore: "This form was sent before. Nothing more was decided; look at what is here now.",
    stale: "The content changed while you were reading. This is the new version; please read it before you decide.",
    staleChanges: "The content changed while you were reading. This is the new version; your changes were for the old one.",
    notAReviewer: "You are not among the reviewers of this request.",
    invalidEdit: "Some of your changes cannot be sent. Nothing was decided.",
    cannotBe: { request: "Some of your changes cannot be sent.", response: "Some of your changes cannot be delivered." },
    unseenChanges:
      "Nothing was decided: the page that you approved did not show your changes. They are shown below; check them, then approve.",
    giveUp: {
      ownRequest: "This is your own request: you may not choose who decides it. You can say that it is not yours.",
      left: "You gave this review up before. Nothing more was done.",
      hasApproved: "You have approved this, and your approval stands. You can still deny it.",
      isAskedAlready: "That person is asked already. Nothing was done; you are still asked too.",
      noSuchReviewer: "That person cannot be asked here. Nothing was done; you are still asked.",
      unreachable: "That person cannot be reached by any channel, or may not approve this. Nothing was done; you are still asked.",
    },
    noGrant: {
      title: "Nothing was decided: what you wanted to allow later cannot be allowed here.",
      message:
        "Later requests can be allowed only together with an approval of what is here, unchanged and with the first model. Choose “Not now” to approve without it, or take your changes out.",
    },
    uses: {
      title: "Nothing was decided: how often later requests are allowed is not a number that can be used.",
      message: (most: number): string => `How many times at most: write a whole number from 1 to ${most.toLocaleString("en-US")}.`,
    },
    nonce: {
      early: "That was quicker than a person reads. Nothing was decided; press the button again when you have read everything.",
      late: "This page was open for more than half an hour. Nothing was decided; your changes are still here. Look again, then decide.",
      forged: "This form was not made for this page. Nothing was decided; look again, then decide.",
    },
  },
  /** The pages of a link whose time is over. */
  expiredLink: {
    title: "This link’s time is over",
    until: "The link was valid until {until}, so that an old mail or message opens nothing.",
    states: {
      open: "The review still waits. Nobody has decided it.",
      voted: "The review still waits: more people have to approve it.",
      approved: "The review is over: it was approved.",
      denied: "The review is over: it was denied.",
      expired: "The review is over: nobody decided in time, and that counted as a no.",
      cancelled: "The review is over: the request was withdrawn.",
      failed: "The review is over: it could not be carried out.",
    } satisfies Record<ReviewState["kind"], string>,
    unsendable: "A new link cannot be sent for it. Ask the operator of this Countersign.",
    offer: "A new link can be sent to you, the same way as this one and to the address on file only. This one then stays dead.",
    renew: "Send me a new link",
    problems: {
      early: "That was quicker than a person reads. Nothing was sent; press the button again.",
      late: "This page was open for more than half an hour. Nothing was sent; press the button again.",
      forged: "That form was not made for this page. Nothing was sent; press the button again.",
      decided: "Your answer came after the link’s time. Nothing was decided by it.",
      tooOften: "A new link is sent three times an hour at most. Nothing was sent; try again later.",
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
  /** The pages that have nothing to show. */
  plain: {
    noSuchLink: {
      title: "There is nothing at this link",
      lead: "The address is not complete, or what it led to is no longer kept.",
      help: "If you came from an email or a message, open the link there again. Some programs cut long addresses in two: then copy the whole address. If that does not help, ask whoever runs this Countersign for a new link.",
    },
    problems: {
      badRequest: {
        title: "That could not be read",
        lead: "The form came back in a shape that this page does not send. Nothing was decided.",
      },
      crossSite: {
        title: "That came from somewhere else",
        lead: "Decisions are taken only from the review page itself. Nothing was decided. Open the link from your mail or message again, and decide there.",
      },
      tooLarge: {
        title: "That is too large",
        lead: "What was sent is larger than this page takes. Nothing was decided. Shorten your changes, or deny the request.",
      },
      wrongType: { title: "That is not a form", lead: "This address takes the review page’s own form only. Nothing was decided." },
      tooMany: { title: "Too many tries", lead: "Nothing was decided. Wait a minute, then open the link again." },
      fault: {
        title: "Something went wrong here",
        lead: "It is our fault, not yours. Open the link again to see whether anything was decided.",
      },
    },
    quote: "If you ask for help, quote this: ",
  },
} as const;
