// What an alert says, in each language: that something began to be wrong, or is over. Ids, names of
// the operator's own documents and counts, nothing of a request.

import { nanosInUsd } from "../budget/budgets.ts";
import { unreachable } from "../result.ts";
import type { Alert } from "../telemetry/alerts.ts";
import { textOf } from "../words/text.ts";
import { outsideName } from "./plain-text.ts";
import type { Language } from "./words/languages.ts";
import { noticeWordsOf } from "./words/notice-words.ts";

/** `url`: the page of the console that shows what is behind it. */
export type AlertInput = { readonly alert: Alert; readonly url: string };

type AlertWords = { readonly title: string; readonly text: string; readonly link: { readonly label: string; readonly url: string } };

export function alertWordsOf({ alert, url }: AlertInput, language: Language): AlertWords {
  const { topic, phase, since, counts, leftOut } = alert;
  const catalogue = catalogues[language];
  const { title, text } = catalogue[topic.kind][phase];
  const plain = (name: string): string => outsideName(name, noticeWordsOf(language), { plain: true });
  const values = { ...namesOf(), since: timeOf(since), failed: String(counts.failed), n: String(counts.count) };
  const said = [text, ...(leftOut === 0 ? [] : [catalogue.leftOut])].map((each) =>
    textOf(each, { ...values, leftOut: String(leftOut) }, language),
  );
  return { title: textOf(title, values, language), text: said.join(" "), link: { label: catalogue.link, url } };

  function namesOf(): Readonly<Record<string, string>> {
    switch (topic.kind) {
      case "providerFailing":
        return { provider: plain(topic.provider) };
      case "budgetUsedUp": {
        const { budget, part, unit, limit, per } = topic;
        const amount = unit === "usd" ? `$${limit / nanosInUsd}` : textOf(catalogue.tokens, { n: String(limit) }, language);
        return {
          budget: plain(budget),
          amount: textOf(catalogue[per], { amount }, language),
          part: part === null ? "" : textOf(catalogue.part, { part: plain(part) }, language),
        };
      }
      case "nobodyReached":
      case "reviewsExpire":
        return {};
      default:
        return unreachable(topic);
    }
  }
}

/** In UTC, to the minute: "2026-11-22 14:10 UTC". */
const timeOf = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;

type Said = { readonly title: string; readonly text: string };
type AlertCatalogue = Readonly<Record<Alert["topic"]["kind"], Readonly<Record<Alert["phase"], Said>>>> & {
  readonly leftOut: string;
  readonly link: string;
  readonly tokens: string;
  readonly day: string;
  readonly month: string;
  readonly part: string;
};

const en: AlertCatalogue = {
  providerFailing: {
    began: { title: "{provider} fails", text: "{failed} of {n} model calls of {provider} failed in the last 5 minutes." },
    ended: {
      title: "{provider} works again",
      text: "{provider} failed since {since}. In the last 5 minutes {failed} of {n} model calls failed.",
    },
  },
  budgetUsedUp: {
    began: {
      title: "Budget {budget} refuses requests",
      text: "Less is left of {amount}{part} than a call may cost. Requests that may cost more are refused.",
    },
    ended: { title: "Budget {budget} has room again", text: "It refused requests since {since}: {amount}{part}." },
  },
  nobodyReached: {
    began: { title: "Reviews reach nobody", text: "{n} of the reviews in the last 5 minutes reached no reviewer by any channel." },
    ended: { title: "Reviews reach people again", text: "Reviews reached nobody since {since}. Of the last hour each one did." },
  },
  reviewsExpire: {
    began: { title: "Reviews expire", text: "{n} of the reviews in the last 5 minutes expired before somebody decided." },
    ended: { title: "Reviews no longer expire", text: "Reviews expired since {since}. In the last hour none did." },
  },
  leftOut: "{leftOut} alerts before this one were not sent, because there were too many within an hour.",
  link: "Open the console",
  tokens: "{n} tokens",
  day: "{amount} a day",
  month: "{amount} a month",
  part: " ({part})",
};

const zhCN: AlertCatalogue = {
  providerFailing: {
    began: { title: "{provider} 出错", text: "最近 5 分钟 {provider} 的 {n} 次模型调用中有 {failed} 次失败。" },
    ended: { title: "{provider} 已恢复", text: "{provider} 自 {since} 起出错。最近 5 分钟 {n} 次模型调用中有 {failed} 次失败。" },
  },
  budgetUsedUp: {
    began: { title: "预算 {budget} 拒绝请求", text: "{amount}{part} 的余额少于一次调用可能的费用。可能超出余额的请求会被拒绝。" },
    ended: { title: "预算 {budget} 又有余额", text: "自 {since} 起曾拒绝请求：{amount}{part}。" },
  },
  nobodyReached: {
    began: { title: "审核无法通知到人", text: "最近 5 分钟有 {n} 个审核未能通过任何渠道通知审核人。" },
    ended: { title: "审核已能通知到人", text: "自 {since} 起审核曾无法通知到人。最近一小时的审核都已通知到人。" },
  },
  reviewsExpire: {
    began: { title: "审核过期", text: "最近 5 分钟有 {n} 个审核在有人决定之前过期。" },
    ended: { title: "审核不再过期", text: "自 {since} 起曾有审核过期。最近一小时没有审核过期。" },
  },
  leftOut: "此前有 {leftOut} 条告警因一小时内过多而未发送。",
  link: "打开控制台",
  tokens: "{n} 个 token",
  day: "每天 {amount}",
  month: "每月 {amount}",
  part: "（{part}）",
};

const catalogues: Readonly<Record<Language, AlertCatalogue>> = { en, "zh-CN": zhCN };
