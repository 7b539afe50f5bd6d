// What was found in a text that a reviewer should look at, in simplified Chinese. Nothing of the
// text itself is in these sentences.

export const riskLevelsZh = { low: "低", medium: "中", high: "高" } as const;

export const riskZh = {
  more: "另有 {n} 处同样的情况。",
  tools: "模型可以使用工具，并可能要求服务器运行这些工具。",
  size: { low: "文字超过 {n} 个字符。", more: "文字超过 {n} 个字符，很少有人会从头读到尾。" },
  media: "这里有{what}，文字检查不涵盖这类内容。",
  mediaOf: { image: "图片", audio: "音频", binaryResource: "二进制资源" },
  blankLines: { high: "连续 {n} 个空行，后面的文字很容易被漏看。", less: "连续 {n} 个空行。" },
  longSpace: "一行中有 {n} 个连续的空格或制表符，后面的文字很容易被漏看。",
  credential: "这里有疑似 {what} 的内容。",
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
  blob: "这里有 {n} 个字符疑似编码数据，人无法直接阅读。",
  urlWithData: { low: "这里有带查询参数的网址。", more: "这里有网址的查询参数中带有大量数据，或带有数据占位符。" },
  addressesReviewer: {
    high: "文字直接对审核人说话、请求批准，或模仿本页面。",
    less: "文字提到审核或批准，可能意在影响结果。",
  },
  overridesInstructions: "文字要求模型忽略原有指令，或对人隐瞒信息。",
  asksSecret: "这一项要求填写密码、密钥等机密。服务器不得在表单中索取机密，请勿填写。",
  invisible: "这里有 {n} 个{what}。",
  invisibleOf: {
    bidirectional: "双向控制字符",
    bidirectionalMark: "双向标记字符",
    tagCharacters: "不可见的标签字符",
    zeroWidth: "零宽字符",
    control: "控制字符",
    unseen: "其他不可见或易混淆的字符",
  },
} as const;
