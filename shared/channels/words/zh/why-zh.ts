// Why a model may answer, in simplified Chinese. `whySentence` in shared/routing/choose.ts says the
// same in English and in JSON.

import type { NamedModel } from "../../../model/sampling.ts";
import { type ModelWhy, arithmeticOf, decimal, quoted } from "../../../routing/choose.ts";
import { foldCase } from "../../../routing/fold-case.ts";

const aliasZh = (entry: string, asked: string): string =>
  foldCase(entry.trim()) === foldCase(asked.trim()) ? "别名" : `别名 ${quoted(entry)} `;

const namedZh = ({ name, version, provider }: NamedModel): string =>
  [
    quoted(name),
    ...(version === undefined ? [] : [`版本 ${quoted(version)}`]),
    ...(provider === undefined ? [] : [`提供商 ${quoted(provider)}`]),
  ].join("，");

const differs: Readonly<Record<"version" | "provider", string>> = { version: "版本", provider: "提供商" };

function matchZh(tier: Extract<ModelWhy, { kind: "ranked" }>["tier"]): string {
  switch (tier.kind) {
    case "hint":
      return `匹配 ${quoted(tier.hint)}。`;
    case "equivalent":
      return `通过${aliasZh(tier.entry, tier.hint)}匹配 ${quoted(tier.hint)}。`;
    case "rest":
      return "默认模型。";
    case "named":
      return `匹配 ${namedZh(tier.named)}。`;
    case "nearlyNamed":
      return `名称匹配 ${namedZh(tier.named)}，但${tier.differs.map((each) => differs[each]).join("和")}不同。`;
    case "namedEquivalent":
      return `通过${aliasZh(tier.entry, tier.named.name)}匹配 ${namedZh(tier.named)}。`;
  }
}

/** Two sentences for a model: the hint or the name and how it matched, then the arithmetic. */
export function whyZh(why: ModelWhy): string {
  if (why.kind === "function") return `服务器文档把 MCP 服务器 ${why.server} 的 ${why.tool} 登记为函数，因此只在那里运行。`;
  const { tier, terms, points } = why;
  const order = terms.length === 0 ? "未给出优先级，按路由表的顺序。" : `得分：${arithmeticOf(terms)} = ${decimal(points / 1e12)}。`;
  return `${matchZh(tier)}${order}`;
}
