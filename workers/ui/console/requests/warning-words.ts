// What a warning of the record is about, in the words of the review page. The record has its kind
// alone: how many characters or lines it was about is on the page of the review.

import type { RiskNote } from "../../../../shared/policy/risk.ts";
import type { InLanguages } from "../page.ts";

const kindsEn: Readonly<Record<RiskNote["kind"], string>> = {
  size: "very long",
  blankLines: "blank lines in a row",
  longSpace: "spaces hide the rest",
  credential: "looks like a secret",
  blob: "encoded characters",
  urlWithData: "address may carry data away",
  addressesReviewer: "mentions review or approval",
  overridesInstructions: "overrides earlier instructions",
  asksSecret: "asks for a secret",
  lookAlikes: "letters that only look Latin",
  bidirectional: "invisible characters reverse the text",
  bidirectionalMark: "direction marks",
  tagCharacters: "hidden tag characters",
  zeroWidth: "zero-width characters",
  control: "control characters",
  unseen: "other invisible characters",
};

const kindsZh: typeof kindsEn = {
  size: "内容很长",
  blankLines: "连续空行",
  longSpace: "空格遮住了后文",
  credential: "疑似机密",
  blob: "编码数据",
  urlWithData: "网址可能带走数据",
  addressesReviewer: "提到审核或批准",
  overridesInstructions: "让模型无视原有指令",
  asksSecret: "索取机密",
  lookAlikes: "有冒充拉丁字母的字符",
  bidirectional: "不可见字符使文字反向",
  bidirectionalMark: "方向标记字符",
  tagCharacters: "隐藏的标签字符",
  zeroWidth: "零宽字符",
  control: "控制字符",
  unseen: "其他不可见字符",
};

export const warningWords: InLanguages<{ readonly kinds: Readonly<Record<string, string>> }> = {
  en: { kinds: kindsEn },
  "zh-CN": { kinds: kindsZh },
};
