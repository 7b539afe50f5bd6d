// Every sentence of an email, in English. What other channels say in the same words is in
// review-en.ts.

export const emailEn = {
  /** The same where a server asks a person. */
  form: {
    deadline: "Answer before",
    why: {
      asked: "{reviewer}, your answer is needed.",
      handedOver: "{reviewer}, another reviewer handed this to you. Your answer is needed.",
      escalated: "{reviewer}, the people who were asked first have not answered. Your answer is needed.",
      reminder: "{reviewer}, this is a reminder: your answer is still needed.",
    },
  },
  /** Why this email is sent. `{version}` is the current version. */
  why: {
    asked: "{reviewer}, your decision is needed.",
    handedOver: "{reviewer}, another reviewer handed this to you. Your decision is needed.",
    escalated: "{reviewer}, the reviewers who were asked first have not decided. Your decision is needed too.",
    reminder: "{reviewer}, this is a reminder: your decision is still needed.",
    changed:
      "{reviewer}, a reviewer changed it after you were asked. The current version is {version}; approvals of earlier versions do not count.",
    newLink: "{reviewer}, here is the new link that was requested. The earlier link no longer works.",
  },
  /** To the operators of a budget. `{used}` is a percentage. */
  budget: {
    subject: "Countersign: {used} % of the budget {budget} is used",
    lead: "{used} % of the budget {budget} ({amount}) is used. It began on {since}.",
    part: "This is the part of {part}.",
    full: "Requests that count for it are refused until it begins anew.",
    soon: "Requests that may cost more than is left of it are refused.",
    day: "{amount} a day",
    month: "{amount} a month",
    usd: "{number} US dollars",
    tokens: "{number} tokens",
    where: "The operator sees what is spent with GET {spend} and changes budgets at {budgets}.",
  },
  /** Several reviews in one email. */
  digest: {
    why: "{reviewer}, these reviews came so quickly that they are in one email. Each has its own page.",
    deadline: "Decide before {deadline}.",
    answerDeadline: "Answer before {deadline}.",
  },
  /** Where no decision is needed. */
  ended: {
    title: "No decision is needed",
    keyRevoked: "{reviewer}, the API key of this request was revoked.",
    keyExpired: "{reviewer}, the API key of this request expired.",
    nothing: "The request was withdrawn. Nothing more will be sent or delivered.",
    page: "See how it stands",
  },
  /** The link to the inbox, for whoever asked for one. */
  signIn: {
    subject: "Sign in to Countersign",
    lead: "Somebody asked for a link to sign in to your inbox of reviews. If it was you, open it in the browser in which you asked:",
    limit: "It works once, within ten minutes of asking, and in no other browser.",
    ignore: "If it was not you, do nothing: without the browser in which it was asked for, this link signs nobody in.",
  },
  deadline: {
    label: "Decide before",
    left: "{deadline}, {span} after this email was written.",
    passed: "{deadline}. The deadline has passed.",
    silence: "If nobody decides by then, it is denied automatically.",
  },
  facts: {
    requestor: "Who asks",
    sure: "How we know",
    model: "Goes to",
    runs: "Runs on",
    ran: "Ran on",
    run1: "{server}, as {name}",
    named: "Model asked for",
    namedVersion: "version {version}",
    namedProvider: "from {provider}",
    namedStandIn: "Another model may be used; its reason is on the page.",
    form: "Response format",
    json: "It must be JSON.",
    jsonSchema: "It must be JSON that fits a schema, which is on the page.",
    texts: "Texts",
    vectors: "Vectors",
    toolSays: "The tool says",
    toolError: "this is an error.",
    cached: "From the cache",
    cachedAt: "it was made {at} for an identical request.",
    answeredBy: "Answered by",
    writtenBy: "Reply written by",
    model1: "{name}, from {provider}",
    otherwise: "If that fails",
    more: "and {n, # other/# others}",
    noModel: "No model is listed.",
    cost: "Cost",
    people: "Who has to approve",
    quorum: "{n} people.",
    votes: "{n, # person has/# people have} approved so far.",
    risk: "{n} {n, note/notes} of {level} risk",
    risksThere: "What they are is on the page.",
    run: "Run",
  },
  rules: {
    personal: "This link is personal: anyone who opens it decides as you. Do not forward this email.",
    reply: "Replying to this email decides nothing.",
    expiry: "The link works until {expiry}.",
    because: "You get this email because the policy’s rule {rule} names you as a reviewer.",
  },
} as const;
