// What the review page says of a reply that a reviewer writes in the model's place, in English.

export const pageWrittenEn = {
  written: {
    /** The fold with the field. */
    heading: "Write the reply yourself",
    headingAgain: "Decide otherwise",
    label: "Your reply to {to}",
    labelAgain: "Another reply to {to}, written by you",
    /** {model}: the name that the requestor gets in place of the model's. */
    hint: "{first} gets nothing. {to} sees the model name {model}.",
    json: "It must be JSON, as requested.",
    check: "Check my reply",
    send: "Send my reply to {to}",
    sendVote: "Vote for my reply to {to}",
    shown: "Your reply as it is sent:",
    askModel: "Ask {model} in place of this reply",
    askModelHint: "Approvals of the written reply then no longer count.",
    /** Above the frame of somebody's reply. */
    from: "From {by}, written in the model’s place · untrusted text",
    title: "Reply that {to} gets",
    below: "It answers the request below, which no model gets.",
    effect: "Approve sends the reply of {by} to {to}. No model is asked.",
    /** Once the review is over. */
    approved: "{by} approved the reply that {author} wrote",
    ownApproved: "{author} wrote this reply in the model’s place",
    unwritten: "{by} chose the model in place of the reply that {author} wrote.",
    /** To its author, at the response gate. */
    yours: "You wrote this reply in the model’s place.",
    inReview: "The reply waits for its own review.",
    modelHeading: "Model that is not asked",
  },
} as const;
