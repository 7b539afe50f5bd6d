// The words of the page of a server's tools.

import type { ServerTool } from "../../../endpoints/admin/answers/server-tools.ts";
import type { RuleOfTool } from "../../../../shared/policy/rules-of-tool.ts";
import type { Texts } from "../../../../shared/words/text.ts";
import type { InLanguages } from "../page.ts";

/** What the page says of a tool that waits: by what it is, and whether clients see it. */
type Waits = Readonly<Record<Extract<ServerTool["state"], "changed" | "new">, Readonly<Record<"held" | "shown", string>>>>;

type RuleTexts = Readonly<Record<"none" | "otherwise" | "may" | "first" | "more", string>> & {
  readonly acts: Readonly<Record<RuleOfTool["request"] | "result" | "juror", string>>;
};

const en = {
  title: "Tools of {server}",
  off: "Definitions of this server’s tools are not kept. To see what changes, set “When a tool’s definition changes” in its entry.",
  requests: "Its requests",
  usage: "Usage by server",
  editEntry: "Edit the server",
  none: "No client has listed this server’s tools yet. They stand here with the first list.",
  waits: {
    changed: {
      held: "{tool} changed ({at}) and is hidden until you accept it.",
      shown: "{tool} changed ({at}). Clients see it as it is now.",
    },
    new: {
      held: "{tool} is new ({at}) and is hidden until you accept it.",
      shown: "{tool} is new ({at}). Clients see it.",
    },
  } satisfies Waits,
  tooLong: "The definition is too long to be kept, so there is nothing to compare. Its digest is {digest}.",
  sameText: "Nothing that is shown here differs: the order of what it says, or a number, does.",
  members: { title: "Title", description: "Description", inputSchema: "Schema", outputSchema: "Output schema", annotations: "Annotations" },
  acceptChange: "Accept change",
  acceptTool: "Accept tool",
  keepHidden: "Keep hidden",
  hide: "Hide",
  show: "Show",
  acceptAll: "Accept all {n} that stand here",
  moreWaiting: "More wait. They stand here once you have decided on these.",
  count: "Tools, by name",
  columns: {
    tool: "Tool",
    state: "Clients",
    rule: "Rule",
    calls: "Calls, 7 days",
    denied: "Denied",
    since: "Definition since",
    action: "Action",
  },
  atLeast: "over {n}",
  counted: "Calls are counted from the record: those that a rule of the policy is about, and those that were refused.",
  rules: {
    acts: {
      allow: "allowed",
      review: "asks {people}",
      confirm: "asks the key’s owner",
      refuse: "refused",
      result: "result: asks {people}",
      juror: "may ask {people}",
    },
    none: "no rule is about it",
    otherwise: "otherwise",
    may: "for some calls:",
    first: "({model} first)",
    more: "{n, # more rule/# more rules} for some calls",
  } satisfies RuleTexts,
  states: { shown: "shown", changed: "changed", held: "hidden", hidden: "hidden", left: "left out" },
  leftOut: "by the entry’s tools",
  done: { accepted: "Accepted. Clients see it with their next list.", hidden: "Hidden. A call of it is refused." },
  row: { link: "Tools", waiting: "{n, # tool/# tools} changed" },
} as const;

const zhCN: Texts<typeof en> = {
  title: "{server} 的工具",
  off: "没有保存此服务器的工具定义。要查看变更，请在其条目中设置“工具的定义变更时”。",
  requests: "它的请求",
  usage: "按服务器的用量",
  editEntry: "编辑服务器",
  none: "还没有客户端列出此服务器的工具。首次列出后会显示在这里。",
  waits: {
    changed: { held: "{tool} 已变更（{at}），在您接受之前保持隐藏。", shown: "{tool} 已变更（{at}）。客户端看到的是现在的定义。" },
    new: { held: "{tool} 是新工具（{at}），在您接受之前保持隐藏。", shown: "{tool} 是新工具（{at}）。客户端可以看到。" },
  },
  tooLong: "定义过长，没有保存，因此无法比较。其摘要为 {digest}。",
  sameText: "此处显示的内容没有差异：不同之处在于顺序或某个数字。",
  members: { title: "标题", description: "描述", inputSchema: "模式", outputSchema: "输出模式", annotations: "注解" },
  acceptChange: "接受变更",
  acceptTool: "接受工具",
  keepHidden: "保持隐藏",
  hide: "隐藏",
  show: "显示",
  acceptAll: "接受此处的全部 {n} 个",
  moreWaiting: "还有更多待处理。处理完这些之后会显示在这里。",
  count: "工具，按名称",
  columns: { tool: "工具", state: "客户端", rule: "规则", calls: "调用，7 天", denied: "被拒绝", since: "定义始于", action: "操作" },
  atLeast: "超过 {n}",
  counted: "调用次数来自记录：策略规则所涉及的调用，以及被拒绝的调用。",
  rules: {
    acts: {
      allow: "放行",
      review: "询问 {people}",
      confirm: "询问密钥所有者",
      refuse: "拒绝",
      result: "结果：询问 {people}",
      juror: "可能询问 {people}",
    },
    none: "没有规则涉及它",
    otherwise: "其他情况",
    may: "部分调用：",
    first: "（先询问 {model}）",
    more: "另有 {n} 条规则涉及部分调用",
  },
  states: { shown: "可见", changed: "已变更", held: "已隐藏", hidden: "已隐藏", left: "不提供" },
  leftOut: "由条目的工具设置决定",
  done: { accepted: "已接受。客户端下次列出时可见。", hidden: "已隐藏。对它的调用会被拒绝。" },
  row: { link: "工具", waiting: "{n} 个工具已变更" },
};

export const toolsWords: InLanguages<Texts<typeof en>> = { en, "zh-CN": zhCN };
