// Phrases that address the reviewer or tell the model to ignore its instructions, and web addresses
// that would carry data away. In English and Chinese; phrases-elsewhere.ts has those of other
// languages. A short list that makes warnings, not a filter.

import { addressesReviewerElsewhere, overridesElsewhere } from "./phrases-elsewhere.ts";

/** Searches for a stem before the regular expression, because most texts have none. */
const around = (lower: string, stem: string, before: number, after: number, fits: (near: string) => boolean): boolean => {
  for (let at = lower.indexOf(stem); at !== -1; at = lower.indexOf(stem, at + stem.length)) {
    if (fits(lower.slice(Math.max(0, at - before), at + stem.length + after))) return true;
  }
  return false;
};

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

/**
 * "high" where a text (in lower case) asks for approval, addresses the reviewer or imitates the
 * review page; "medium" where it has words that may do so and are often innocent.
 */
export function addressesReviewer(lower: string): "high" | "medium" | undefined {
  if (around(lower, "approv", 60, 48, (near) => asksForApproval.test(near))) return "high";
  if (around(lower, "review", 60, 40, (near) => speaksToReviewer.test(near))) return "high";
  if (around(lower, "passed", 20, 40, (near) => claimsChecks.test(near)) || addressesReviewerElsewhere(lower)) return "high";
  if (lower.includes("countersign") || (/[批审]/.test(lower) && inChinese.test(lower))) return "high";
  const mentioned = (near: string): boolean => mentionsReviewer.test(near);
  return around(lower, "reviewer", 16, 4, mentioned) ||
    around(lower, "approved by", 2, 2, mentioned) ||
    around(lower, "review ", 2, 24, mentioned)
    ? "medium"
    : undefined;
}

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

/**
 * Whether a text (in lower case) tells a model to ignore its instructions or to hide something from
 * people.
 */
export const overridesInstructions = (lower: string): boolean =>
  around(lower, "instruction", 90, 0, (near) => ignores.test(near)) ||
  around(lower, "system prompt", 60, 0, (near) => /\b(?:ignore|reveal|print|repeat|output|leak|show)\b/.test(near)) ||
  (/\b(?:ignore|disregard|forget|override)/.test(lower) && around(lower, "previous", 40, 60, (near) => ignores.test(near))) ||
  (/forget|disregard|override/.test(lower) &&
    ["direction", "guideline", "told", "rule"].some((stem) =>
      around(lower, stem, 60, 30, (near) => ignores.test(near) || forgetsTold.test(near)),
    )) ||
  turnMarkers.test(lower) ||
  around(lower, "above", 60, 4, (near) => repeatsAbove.test(near)) ||
  ["appl", "mode", "anything now", "restrictions"].some((stem) => around(lower, stem, 60, 8, (near) => freedFromRules.test(near))) ||
  overridesElsewhere(lower) ||
  ["user", "human", "operator", "anyone", "anybody"].some((who) => around(lower, who, 60, 8, (near) => keepsFromPeople.test(near))) ||
  (/[忽不无]/.test(lower) && ignoresInChinese.test(lower));

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

/** The end of a web address in running text. */
const endOfUrl = /[\s"'<>`\\]/;
const longestUrl = 4096;

/**
 * "medium" where the query of a web address is long or has a placeholder, "low" where there is any
 * query. Each address is read once, so the time is linear.
 */
export function exfiltratingUrl(text: string): "low" | "medium" | undefined {
  let worst: "low" | undefined;
  for (let at = text.indexOf("://"); at !== -1;) {
    const rest = text.slice(at + 3, at + 3 + longestUrl);
    const end = rest.search(endOfUrl);
    const url = end === -1 ? rest : rest.slice(0, end);
    if (placeForData.test(url)) return "medium";
    const query = url.indexOf("?");
    if (query !== -1) {
      const data = url.slice(query + 1);
      if (data.length > 100 || /[{}[\]$]|%7b|%5b|…|\.\.\.|=$|data=|secret=|token=|prompt=|history=|content=/i.test(data)) return "medium";
      if (data.length > 0) worst = "low";
    }
    at = text.indexOf("://", at + 3 + url.length);
  }
  return worst;
}
