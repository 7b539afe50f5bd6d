// Phrases that address the reviewer or tell the model to ignore its instructions, and web addresses
// that would carry data away. In English and Chinese; phrases-elsewhere.ts has those of other
// languages. A short list that makes warnings, not a filter.

import type { Part } from "../secret-shapes.ts";
import { addressedElsewhere, matchesOf, overriddenElsewhere } from "./phrases-elsewhere.ts";

type Near = { readonly stems: readonly string[]; readonly before: number; readonly after: number; readonly patterns: readonly RegExp[] };

/**
 * What the patterns find around each stem. The stem is searched for before the regular expression,
 * because most texts have none.
 */
function* around(lower: string, { stems, before, after, patterns }: Near): Generator<Part> {
  for (const stem of stems)
    for (let at = lower.indexOf(stem); at !== -1; at = lower.indexOf(stem, at + stem.length)) {
      const from = Math.max(0, at - before);
      const near = lower.slice(from, at + stem.length + after);
      for (const pattern of patterns) {
        const found = pattern.exec(near);
        if (found !== null) yield { start: from + found.index, end: from + found.index + found[0].length };
      }
    }
}

const hasAny = (parts: Iterator<Part>): boolean => parts.next().done !== true;

const asksForApproval =
  /\b(?:please|kindly|click|press|tap|hit|select|simply|just|always|immediately|now|safe to|ok to|okay to|fine to)\b[^.\n]{0,24}\bapprov(?:e|ing|al)\b|\b(?:you|reviewers?|humans?|admins?|administrators?|operators?) (?:should|must|can|may|need to|have to|will)\b[^.\n]{0,16}\bapprove\b|\b(?:pre-?|auto-?)approved?\b|\bapproved by (?:the |a |your )?(?:human|reviewer|user|admin|administrator|operator|security)|[[(<"'*]\s?approve(?: and [a-z]+| anyway)?\s?[\])>"'*]|\bapprov(?:e|al of|al for) (?:this|the) (?:request|response|reply|prompt|message|sampling)\b|\b(?:request|response|reply|prompt|message) (?:is|was|has been|is already|was already|has already been) approved\b|\bno (?:further )?approval (?:is )?(?:needed|required|necessary)\b|\b(?:was|were|is|been) already approved\b/;
const claimsChecks =
  /\b(?:request|response|reply|prompt|message|content) (?:has|have) passed (?:all|every|the)\b[^.\n]{0,20}\b(?:check|review|filter)/;
const speaksToReviewer =
  /\b(?:dear|hey|hello|attention|note to|notice to|message to|instructions? (?:to|for))\s?,? (?:the |all )?(?:human )?reviewers?\b|\b(?:ignore|bypass|skip|evade|deceive|trick|fool|mislead|disregard|hide\b.{0,30}\bfrom) (?:the |any |this |all )?(?:human )?review(?:er|ers|ing)?\b|\b(?:no|needs no|not need|without) (?:any )?human review\b|\breview(?:er)? (?:is |was |has )?(?:already )?(?:not (?:needed|required)|unnecessary|been completed|passed this)\b/;
const inChinese =
  /请(?:您)?(?:直接|立即|务必)?(?:点击)?(?:批准|审批通过|审核通过)|无需(?:人工)?(?:审核|审批|批准)|(?:本|此|该)(?:请求|回复|提示)已(?:经)?(?:被)?(?:批准|审批通过|审核通过)|(?:忽略|绕过|跳过|欺骗)(?:人工)?(?:审核|审批|审查)|(?:尊敬的|致)审(?:核|批)(?:人|员|者)/;
const mentionsReviewer =
  /\b(?:to|for) the (?:human )?reviewers?\b|\breviewers?\s?:|\bapproved by\b|\breview (?:is |was )?(?:complete|completed|passed)\b/;

/** Where a text (in lower case) asks for approval, addresses the reviewer or imitates the page. */
function* addressed(lower: string): Generator<Part> {
  yield* around(lower, { stems: ["approv"], before: 60, after: 48, patterns: [asksForApproval] });
  yield* around(lower, { stems: ["review"], before: 60, after: 40, patterns: [speaksToReviewer] });
  yield* around(lower, { stems: ["passed"], before: 20, after: 40, patterns: [claimsChecks] });
  yield* addressedElsewhere(lower);
  if (lower.includes("countersign")) yield* matchesOf(/countersign/, lower);
  if (/[批审]/.test(lower)) yield* matchesOf(inChinese, lower);
}

/** Where it has words that may do so and are often innocent. */
function* mentioned(lower: string): Generator<Part> {
  const patterns = [mentionsReviewer];
  yield* around(lower, { stems: ["reviewer"], before: 16, after: 4, patterns });
  yield* around(lower, { stems: ["approved by"], before: 2, after: 2, patterns });
  yield* around(lower, { stems: ["review "], before: 2, after: 24, patterns });
}

/** "high" where a text speaks to the reviewer, "medium" where it may, and often does not. */
export function addressesReviewer(lower: string): "high" | "medium" | undefined {
  if (hasAny(addressed(lower))) return "high";
  return hasAny(mentioned(lower)) ? "medium" : undefined;
}

/** The parts of the text that have it so. */
export const addressesReviewerAt = (lower: string, level: "high" | "medium"): Iterable<Part> =>
  level === "high" ? addressed(lower) : mentioned(lower);

const ignores =
  /\b(?:ignore|ignoring|disregard|forget|override|overrule|set aside)\b[^.\n]{0,30}\b(?:previous|prior|above|earlier|preceding|all|any|your|system|existing|other)\b[^.\n]{0,30}\b(?:instruction|prompt|rule|guideline|policy|policies|direction|message|safety)/;
const forgetsTold = /\bforget (?:everything|all|anything)\b[^.\n]{0,24}\btold\b/;
const keepsFromPeople =
  /\b(?:do not|don't|never|must not|without)\b[^.\n]{0,12}\b(?:tell|telling|inform|informing|show|showing|reveal|revealing|mention|mentioning|notify|notifying|alert|alerting|ask|asking|let)\b[^.\n]{0,30}\b(?:user|human|person|people|operator|anyone|anybody|reviewer)/;
/** How a text imitates the turns of a conversation, which only the provider writes. */
const turnMarkers = /<\/?(?:system|important)>|\[\/?inst\]|<<\/?sys>>|<\|(?:im_start|im_end|system|user|assistant)\|>/;
const repeatsAbove = /\b(?:repeat|print|output|reveal|show)\b[^.\n]{0,24}\b(?:everything|all|text|words)\b[^.\n]{0,12}\b(?:above|before)\b/;
const freedFromRules =
  /\b(?:rules?|instructions?|policies|guidelines?) (?:above |given |before )?no longer appl|\byou are now in (?:developer|debug|god|admin) mode\b|\bdo anything now\b|\b(?:answer|respond|reply|act) without (?:any )?restrictions\b/;
const ignoresInChinese =
  /无视(?:之前|以上|上述|上面|前面|所有|先前)的?(?:所有|全部)?(?:指令|指示|提示|规则|要求)|不再受(?:任何|上述)?(?:规则|限制|约束)|忽略(?:之前|以上|上述|前面|所有|先前)的?(?:所有|全部)?(?:指令|指示|提示|规则|要求)|不要(?:告诉|告知|透露给|通知)(?:用户|任何人|人类)/;

const asksForPrompt = /\b(?:ignore|reveal|print|repeat|output|leak|show)\b[^]{0,60}system prompt/;

/**
 * The parts of a text (in lower case) that tell a model to ignore its instructions or to hide
 * something from people.
 */
export function* overridesInstructionsAt(lower: string): Generator<Part> {
  yield* around(lower, { stems: ["instruction"], before: 90, after: 0, patterns: [ignores] });
  yield* around(lower, { stems: ["system prompt"], before: 60, after: 0, patterns: [asksForPrompt] });
  if (/\b(?:ignore|disregard|forget|override)/.test(lower))
    yield* around(lower, { stems: ["previous"], before: 40, after: 60, patterns: [ignores] });
  if (/forget|disregard|override/.test(lower))
    yield* around(lower, { stems: ["direction", "guideline", "told", "rule"], before: 60, after: 30, patterns: [ignores, forgetsTold] });
  yield* matchesOf(turnMarkers, lower);
  yield* around(lower, { stems: ["above"], before: 60, after: 4, patterns: [repeatsAbove] });
  yield* around(lower, { stems: ["appl", "mode", "anything now", "restrictions"], before: 60, after: 8, patterns: [freedFromRules] });
  yield* overriddenElsewhere(lower);
  yield* around(lower, { stems: ["user", "human", "operator", "anyone", "anybody"], before: 60, after: 8, patterns: [keepsFromPeople] });
  if (/[忽不无]/.test(lower)) yield* matchesOf(ignoresInChinese, lower);
}

export const overridesInstructions = (lower: string): boolean => hasAny(overridesInstructionsAt(lower));

/**
 * A place in an address, outside its query too, that is filled with what is worth having: `{id}` is
 * in every description of an API.
 */
const placeForData = /\{[^{}/]{0,40}(?:key|secret|token|password|prompt|conversation|history|message|transcript|chat)|\$\(/i;

const collectors = [
  "webhook.site",
  "requestbin",
  "ngrok.io",
  "ngrok.app",
  "ngrok-free.app",
  "pipedream.net",
  "interact.sh",
  "oastify.com",
  "burpcollaborator.net",
] as const;

/** Whether a text (in lower case) names a service whose purpose is to show what is sent to it. */
export const namesCollector = (lower: string): boolean => collectors.some((host) => lower.includes(host));

/** Each name of such a service in it. */
export function* collectorsAt(lower: string): Generator<Part> {
  for (const host of collectors)
    for (let at = lower.indexOf(host); at !== -1; at = lower.indexOf(host, at + host.length)) yield { start: at, end: at + host.length };
}

/** The end of a web address in running text. */
const endOfUrl = /[\s"'<>`\\]/;
const longestUrl = 4096;

/**
 * Web addresses whose query is long or has a placeholder. Each address is read once, so the time is
 * linear.
 */
export function* urlsWithDataAt(text: string): Generator<Part> {
  for (let at = text.indexOf("://"); at !== -1;) {
    const rest = text.slice(at + 3, at + 3 + longestUrl);
    const end = rest.search(endOfUrl);
    const url = end === -1 ? rest : rest.slice(0, end);
    if (hasData(url)) yield { start: at - schemeBefore(text, at), end: at + 3 + url.length };
    at = text.indexOf("://", at + 3 + url.length);
  }
}

/** Whether a web address in the text would carry data away. */
export const carriesData = (text: string): boolean => hasAny(urlsWithDataAt(text));

/** The length of the letters of a scheme in front of "://". */
const schemeBefore = (text: string, at: number): number =>
  /[a-z][a-z0-9+.-]{0,20}$/i.exec(text.slice(Math.max(0, at - 21), at))?.[0].length ?? 0;

function hasData(url: string): boolean {
  if (placeForData.test(url)) return true;
  const query = url.indexOf("?");
  const data = query === -1 ? "" : url.slice(query + 1);
  return data.length > 100 || /[{}[\]$]|%7b|%5b|…|\.\.\.|=$|data=|secret=|token=|prompt=|history=|content=/i.test(data);
}
