// What was found in a text that a reviewer should look at, in simplified Chinese. Nothing of the
// text itself is in these sentences.

import type { RiskFinding, RiskLevel, RiskNote } from "../../../policy/risk.ts";
import { unreachable } from "../../../result.ts";
import { number } from "./page-numbers-zh.ts";

export const riskLevelsZh: Readonly<Record<RiskLevel, string>> = { low: "低", medium: "中", high: "高" };

const media: Readonly<Record<Extract<RiskFinding, { kind: "media" }>["of"], string>> = {
  image: "图片",
  audio: "音频",
  binaryResource: "二进制资源",
};

const credentials: Readonly<Record<Extract<RiskFinding, { kind: "credential" }>["of"], string>> = {
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
};

const invisible = {
  bidirectional: "双向控制字符",
  bidirectionalMark: "双向标记字符",
  tagCharacters: "不可见的标签字符",
  zeroWidth: "零宽字符",
  control: "控制字符",
  unseen: "其他不可见或易混淆的字符",
} as const;

const easilyMissed = "，后面的文字很容易被漏看。";

/** One sentence for one note. */
export function riskZh(note: RiskNote): string {
  if ("more" in note) return `另有 ${number(note.more)} 处同样的情况。`;
  switch (note.kind) {
    case "tools":
      return "模型可以使用工具，并可能要求服务器运行这些工具。";
    case "size":
      return `文字超过 ${number(note.characters)} 个字符${note.level === "low" ? "。" : "，很少有人会从头读到尾。"}`;
    case "media":
      return `这里有${media[note.of]}，文字检查不涵盖这类内容。`;
    case "blankLines":
      return `连续 ${number(note.lines)} 个空行${note.level === "high" ? easilyMissed : "。"}`;
    case "longSpace":
      return `一行中有 ${number(note.spaces)} 个连续的空格或制表符${easilyMissed}`;
    case "credential":
      return `这里有疑似 ${credentials[note.of]} 的内容。`;
    case "blob":
      return `这里有 ${number(note.characters)} 个字符疑似编码数据，人无法直接阅读。`;
    case "urlWithData":
      return note.level === "low" ? "这里有带查询参数的网址。" : "这里有网址的查询参数中带有大量数据，或带有数据占位符。";
    case "addressesReviewer":
      return note.level === "high" ? "文字直接对审核人说话、请求批准，或模仿本页面。" : "文字提到审核或批准，可能意在影响结果。";
    case "overridesInstructions":
      return "文字要求模型忽略原有指令，或对人隐瞒信息。";
    case "bidirectional":
    case "bidirectionalMark":
    case "tagCharacters":
    case "zeroWidth":
    case "control":
    case "unseen":
      return `这里有 ${number(note.characters)} 个${invisible[note.kind]}。`;
    default:
      return unreachable(note);
  }
}
