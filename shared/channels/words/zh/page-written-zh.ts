// What the review page says of a reply that a reviewer writes in the model's place, in simplified
// Chinese.

export const pageWrittenZh = {
  written: {
    heading: "自己写回复",
    headingAgain: "另作决定",
    label: "你给 {to} 的回复",
    labelAgain: "由你另写一份给 {to} 的回复",
    hint: "{first} 不会收到任何内容。{to} 看到的模型名是 {model}。",
    json: "必须是 JSON，这是请求的要求。",
    check: "检查我的回复",
    send: "把我的回复发给 {to}",
    sendVote: "赞成把我的回复发给 {to}",
    shown: "将原样发送的回复：",
    askModel: "改为请求 {model}，不用此回复",
    askModelHint: "对人工回复的批准随之作废。",
    from: "来自 {by}，代替模型写成 · 不可信文字",
    title: "{to} 将收到的回复",
    below: "它回复的是下面的请求，该请求不会发给任何模型。",
    effect: "批准后，把 {by} 的回复发给 {to}。不请求任何模型。",
    approved: "{by} 批准了 {author} 写的回复",
    ownApproved: "{author} 代替模型写了此回复",
    unwritten: "{by} 选择请求模型，未采用 {author} 写的回复。",
    yours: "你代替模型写了此回复。",
    inReview: "回复等待审核。",
    modelHeading: "不会请求的模型",
  },
} as const;
