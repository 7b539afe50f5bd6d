// The words of what an operator sees and does while a request waits for people.

import type { AskAnswer } from "../../../stubs/run-calls.ts";
import { channelNames } from "../../channel-registry.ts";
import type { Texts } from "../../../../shared/words/text.ts";
import type { InLanguages } from "../page.ts";

/** Why the API did nothing, as it says it in `details`. */
type Refusals = Readonly<Record<Exclude<AskAnswer, "done" | "over" | "tooOften">, string>>;

const en = {
  title: { request: "Waiting for people: the request", response: "Waiting for people: the reply" },
  until: "Until {at}, {n, # approval/# approvals} of {quorum}",
  approved: "approved",
  noChannel: "no channel reaches them",
  notice: { queued: "being sent", sent: "sent", failed: "not sent" },
  opened: "opened",
  inbox: "Reviewers who sign in see it in their inbox as well.",
  again: "Send again",
  retry: "Try again",
  againAbout: "to {reviewer}",
  also: "Ask somebody else",
  alsoSays: "They are asked as well; whoever decides first counts. The rule of the request names who can be asked.",
  alsoButton: "Ask them",
  nobody: "The rule names nobody else who can be asked.",
  done: { again: "The notices are sent again. A link that is still valid stays the same.", also: "They are asked as well." },
  over: "The request no longer waits for people. Nothing was sent.",
  tooOften: "This reviewer’s notices were sent again five times within an hour. Nothing was sent: ask somebody else, or wait.",
  refused: {
    onceUsed: "This form was sent before, for something else. Nothing was done.",
    notAsked: "This reviewer is not asked any more. Nothing was sent.",
    hasApproved: "This reviewer has approved. Nothing was sent.",
    notAskable: "This reviewer cannot be asked. Nobody was: choose somebody from the list.",
  } satisfies Refusals,
  channels: channelNames("en"),
} as const;

const zhCN: Texts<typeof en> = {
  title: { request: "等待审核：请求", response: "等待审核：回复" },
  until: "截止 {at}，需要 {quorum} 人批准，已有 {n} 人",
  approved: "已批准",
  noChannel: "没有渠道可以通知",
  notice: { queued: "正在发送", sent: "已发送", failed: "未发送" },
  opened: "已打开",
  inbox: "登录的审核人在收件箱中也能看到。",
  again: "重新发送",
  retry: "重试",
  againAbout: "给 {reviewer}",
  also: "请其他人审核",
  alsoSays: "同时也请此人审核，以先作出的决定为准。可以请谁审核由请求所用的规则指定。",
  alsoButton: "请此人审核",
  nobody: "规则没有指定其他可以审核的人。",
  done: { again: "正在重新发送通知。仍然有效的链接保持不变。", also: "已请此人一同审核。" },
  over: "此请求已不再等待审核。没有发送任何内容。",
  tooOften: "一小时内已为此审核人重新发送五次。没有发送任何内容：请其他人审核，或稍后再试。",
  refused: {
    onceUsed: "此表单先前已为其他操作提交。未执行任何操作。",
    notAsked: "不再请此审核人审核。没有发送任何内容。",
    hasApproved: "此审核人已批准。没有发送任何内容。",
    notAskable: "不能请此人审核，也没有请任何人：请从列表中选择。",
  },
  channels: channelNames("zh-CN"),
};

export const waitingWords: InLanguages<Texts<typeof en>> = { en, "zh-CN": zhCN };
