// The page of a form, in simplified Chinese.

export const pageFormZh = {
  form: {
    send: "发送回答",
    decline: "谢绝",
    declineHint: "{server} 会得知你已谢绝。",
    dismiss: "关闭",
    dismissHint: "{server} 会得知无人回答。要表示不同意，请谢绝。",
    effect: "你的回答会发给 {server}。请勿填写密码。",
    check: "检查表单",
    optional: "可不填",
    choose: "请选择 …",
    fields: "你的回答",
    answer: "回答",
    yes: "是",
    no: "否",
    hints: {
      number: { both: "{min} 到 {max}", min: "大于等于 {min}", max: "小于等于 {max}" },
      text: { both: "{min} 到 {max} 个字符", min: "至少 {min} 个字符", max: "最多 {max} 个字符" },
      choices: { both: "选择 {min} 到 {max} 项", min: "至少选择 {min} 项", max: "最多选择 {max} 项" },
      example: "例如 {example}",
      pattern: "须匹配 {pattern}",
    },
    invalid: "没有发送任何内容。有些字段需要再看一下。",
    address: {
      open: "打开 {host}",
      opened: "我已打开",
      effect: "它会在新标签页中打开。请回来说明你已打开：{server} 只会得知这一点。",
      alone: "谁打开它，谁的账户就会被关联。它只给你本人。",
      punycode: "这个主机名含有可能与其他字母混淆的字母，这里显示的是它的技术形式。",
    },
    states: { approved: "{by} 已回答", denied: "{by} 已谢绝", expired: "无人按时回答。", dismissed: "已关闭" },
  },
} as const;
