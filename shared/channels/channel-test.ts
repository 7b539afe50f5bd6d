// The test of a reviewer's channel: what the message says in each channel, and what became of it.
// An error's sentence says what to do.

import type { NoticeError } from "../notice-channels.ts";
import type { ChannelWords } from "./channel-words.ts";
import { textOf } from "../words/text.ts";
import { outsideName } from "./plain-text.ts";
import type { Language } from "./words/languages.ts";
import { noticeWordsOf } from "./words/notice-words.ts";

/** `gateway`: its address, by which the reader knows who sends it. */
export type TestInput = { readonly reviewer: string; readonly gateway: string };

/** The message, in two plain texts. */
type TestWords = { readonly title: string; readonly text: string };

export function testWordsOf({ reviewer, gateway }: TestInput, language: Language): TestWords {
  const { title, text } = catalogues[language].message;
  return { title, text: textOf(text, { reviewer: outsideName(reviewer, noticeWordsOf(language)), gateway }, language) };
}

/** What became of a test by the channel with these words, and what to do where it failed. */
export function testResultWords(state: "sent" | NoticeError, { taker, accepted, failed }: ChannelWords, language: Language): string {
  if (state === "sent") return accepted;
  return textOf(failed?.[state] ?? catalogues[language].failed[state], { channel: taker }, language);
}

type TestCatalogue = {
  readonly message: TestWords;
  /** {channel} is `ChannelWords.taker`. */
  readonly failed: Readonly<Record<NoticeError, string>>;
};

const en: TestCatalogue = {
  message: {
    title: "Test message from Countersign",
    text: "This is a test for {reviewer}, sent by an operator of {gateway}. Reviews will arrive this way. There is nothing to decide.",
  },
  failed: {
    rateLimited: "{channel} has too many messages at the moment. Wait a minute, then test again.",
    dailyLimit: "{channel} has reached its limit for today or this month. Raise the limit, or wait.",
    suppressed: "{channel} no longer sends to this address. Take it off the suppression list, or correct it in the policy.",
    notAllowed: "{channel} does not allow messages to this address.",
    notVerified: "{channel} has not verified the sender.",
    invalid: "{channel} refused the test message as invalid.",
    unauthorized: "{channel} refused the gateway’s credential. Set it again.",
    notFound: "{channel} does not know this address. Correct it in the policy.",
    unavailable: "{channel} did not answer in time. The message may have arrived. Wait a minute, then test again.",
    notConfigured: "This channel is not set up. Run the doctor to see what is missing.",
  },
};

const zhCN: TestCatalogue = {
  message: {
    title: "Countersign 测试消息",
    text: "这是发给 {reviewer} 的测试消息，由 {gateway} 的操作员发送。审核通知将以此方式送达。您无需做任何决定。",
  },
  failed: {
    rateLimited: "{channel}目前消息过多。请等一分钟再测试。",
    dailyLimit: "{channel}已达到今天或本月的上限。请提高上限，或稍后再试。",
    suppressed: "{channel}不再向此地址发送。请将其移出禁发名单，或在策略中更正。",
    notAllowed: "{channel}不允许向此地址发送消息。",
    notVerified: "{channel}尚未验证发件人。",
    invalid: "{channel}认为测试消息无效，已拒绝。",
    unauthorized: "{channel}拒绝了网关的凭据。请重新设置。",
    notFound: "{channel}找不到此地址。请在策略中更正。",
    unavailable: "{channel}没有及时应答，消息可能已送达。请等一分钟再测试。",
    notConfigured: "此渠道尚未设置。请运行诊断查看缺少什么。",
  },
};

const catalogues: Readonly<Record<Language, TestCatalogue>> = { en, "zh-CN": zhCN };
