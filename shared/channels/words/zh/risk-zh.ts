// What was found in a text that a reviewer should look at, in simplified Chinese. Nothing of the
// text itself is in these sentences.

export const riskLevelsZh = { low: "低", medium: "中", high: "高" } as const;

export const riskZh = {
  more: "另有 {n} 处同样的情况",
  size: "超过 {n} 个字符",
  blankLines: { high: "{n} 个空行遮住了后文", less: "连续 {n} 个空行" },
  longSpace: "{n} 个空格遮住了后文",
  credential: "疑似 {what}",
  credentialOf: {
    apiKey: "API 密钥",
    awsAccessKey: "AWS 访问密钥",
    gitHubToken: "GitHub 令牌",
    gitLabToken: "GitLab 令牌",
    slackToken: "Slack 令牌",
    googleApiKey: "Google API 密钥",
    npmToken: "npm 令牌",
    jsonWebToken: "JSON Web Token",
    privateKey: "私钥",
    countersignKey: "Countersign 网关的 API 密钥或令牌",
    password: "密码",
    cardNumber: "支付卡号码",
  },
  blob: "{n} 个字符的编码数据",
  urlWithData: "网址可能带走数据",
  addressesReviewer: { high: "要求审核人批准", less: "提到审核或批准" },
  overridesInstructions: "让模型无视原有指令",
  asksSecret: "索取机密，请勿填写",
  lookAlikes: "有冒充拉丁字母的字符",
  invisible: {
    bidirectional: "{n} 个不可见字符使文字反向",
    bidirectionalMark: "{n} 个方向标记字符",
    tagCharacters: "{n} 个隐藏的标签字符",
    zeroWidth: "{n} 个零宽字符",
    control: "{n} 个控制字符",
    unseen: "{n} 个其他不可见字符",
  },
} as const;
