// Writes shared/redaction/secret-rules.ts from the rules of gitleaks (gitleaks.toml beside this
// file, MIT, see LICENSE):
//
//   node scripts/secret-rules/generate.ts
//
// To take a newer set, replace gitleaks.toml and LICENSE by those of
// https://github.com/gitleaks/gitleaks, set `source` below, and run it again. A test compares the
// written file with what this makes.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const source = "gitleaks b58d3f102cf3a2c84cb7f923d05c25c9b1aed84b (22 July 2026)";

type Rule = { readonly id: string; readonly regex: string; readonly entropy: number; readonly keywords: readonly string[] };

/**
 * Only what the generated file of gitleaks has: a table for each rule, its members one on a line,
 * its expressions in three quotes.
 */
function rulesIn(toml: string): Rule[] {
  return toml
    .split("[[rules]]")
    .slice(1)
    .map((table) => {
      const own = table.split("[[rules.allowlists]]")[0] ?? "";
      const keywords = /^keywords = \[([^\]]*)\]/m.exec(own)?.[1] ?? "";
      return {
        id: /^id = "(.*)"$/m.exec(own)?.[1] ?? "",
        regex: /^regex = '''(.*)'''$/m.exec(own)?.[1] ?? "",
        entropy: Number(/^entropy = (.*)$/m.exec(own)?.[1] ?? 0),
        keywords: [...keywords.matchAll(/"([^"]*)"/g)].map(([, word = ""]) => word),
      };
    });
}

/**
 * Rules about files, about whole commands and documents, and those that are random-looking values
 * of any name: `assigned` in secrets.ts has these.
 */
const leftOut: ReadonlySet<string> = new Set([
  "curl-auth-header",
  "curl-auth-user",
  "freemius-secret-key",
  "generic-api-key",
  "hashicorp-tf-password",
  "kubernetes-secret-yaml",
  "nuget-config-password",
  "pkcs12-file",
  // Not secrets: they name an application, and everybody may know them.
  "adobe-client-id",
  "asana-client-id",
  "bitbucket-client-id",
  "discord-client-id",
  "linkedin-client-id",
  "looker-client-id",
  "messagebird-client-id",
  "plaid-client-id",
  // A secret of any service, found by its delimiters; secrets.ts has it.
  "private-key",
  // A token inside a token: the outer one is encoded, and any base64 may begin like this.
  "jwt-base64",
]);

/**
 * Services whose keys are seldom in prompts: each rule is a part of the gateway's upload, which is
 * small on purpose (docs/dependencies.md).
 */
const seldom =
  /^(?:adafruit|asana|authress|beamer|bittrex|cisco-meraki|clojars|codecov|defined-networking|droneci|duffel|easypost|etsy|finicity|finnhub|flickr|flutterwave|frameio|freshbooks|gitter|harness|infracost|intra42|kraken|kucoin|lob|looker|mailgun-pub|mattermost|maxmind|messagebird|nytimes|octopus|prefect|privateai|rapidapi|readme|scalingo|sendbird|settlemint|shippo|sidekiq|squarespace|sumologic|travisci|twitch|typeform)-/;

/**
 * Rules whose expression does not begin with one of its keywords, rewritten by hand. `back`:
 * characters before the keyword.
 */
const byHand: { readonly [id: string]: readonly { readonly word: string; readonly back?: number; readonly regex: string }[] } = {
  "airtable-personnal-access-token": [{ word: "pat", regex: String.raw`\bpat[a-zA-Z0-9]{14}\.[a-f0-9]{64}` }],
  "atlassian-api-token": [{ word: "atatt3", regex: String.raw`\bATATT3[A-Za-z0-9_\-=]{186}` }],
  "azure-ad-client-secret": [{ word: "q~", back: 4, regex: String.raw`[a-zA-Z0-9_~.]{3}\dQ~[a-zA-Z0-9_~.-]{31,34}` }],
  "cloudflare-origin-ca-key": [{ word: "v1.0-", regex: String.raw`\bv1\.0-[a-f0-9]{24}-[a-f0-9]{146}` }],
  "facebook-access-token": [],
  "flyio-access-token": [
    { word: "fo1_", regex: String.raw`\bfo1_[\w-]{43}` },
    { word: "fm1", regex: String.raw`\bfm1[ar]_[a-zA-Z0-9+\/]{100,2000}={0,3}` },
    { word: "fm2_", regex: String.raw`\bfm2_[a-zA-Z0-9+\/]{100,2000}={0,3}` },
  ],
  "hashicorp-tf-api-token": [{ word: "atlasv1", back: 15, regex: String.raw`[a-zA-Z0-9]{14}\.atlasv1\.[a-zA-Z0-9\-_=]{60,70}` }],
  jwt: [{ word: "eyj", regex: String.raw`\beyJ[a-zA-Z0-9]{14,1000}\.ey[a-zA-Z0-9_-]{15,8000}\.(?:[a-zA-Z0-9_-]{10,2000})?` }],
  "microsoft-teams-webhook": [
    {
      word: ".webhook.office.com/",
      regex: String.raw`\.webhook\.office\.com\/webhookb2\/[a-z0-9@-]{70,80}\/IncomingWebhook\/[a-z0-9]{32}\/[a-z0-9-]{36}`,
    },
  ],
  "openai-api-key": [
    { word: "sk-", regex: String.raw`\bsk-(?:(?:proj|svcacct|admin)-[\w-]{20,300}|[a-zA-Z0-9]{20}T3BlbkFJ[a-zA-Z0-9]{20})` },
  ],
  "slack-webhook-url": [
    { word: "hooks.slack.com/", regex: String.raw`hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9+\/]{43,56}` },
  ],
  "sourcegraph-access-token": [{ word: "sgp_", regex: String.raw`\bsgp_(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40}` }],
  "square-access-token": [
    { word: "sq0atp-", regex: String.raw`\bsq0atp-[\w-]{22,60}` },
    { word: "eaaa", regex: String.raw`\bEAAA[\w-]{22,60}` },
  ],
  "vault-service-token": [{ word: "hvs.", regex: String.raw`\bhvs\.[\w-]{90,120}` }],
};

const framed =
  /^(?:\(\?i\)|\[\\w\.-\]\{0,50\}\?\(\?i:)\[\\w\.-\]\{0,50\}\?(.*?)\(\?:\[ \\t\\w\.-\]\{0,20\}\)\[\\s'"\]\{0,3\}\)?\(\?:=\|>\|.*?\)\[\\x60'"\\s=\]\{0,5\}\((.*)\)\(\?:\[\\x60'"\\s;\]\|\\\\\[nr\]\|\$\)$/;
const ending = String.raw`(?:[\x60'"\s;]|\\[nr]|$)`;

/** One expression token of RE2, and what it is under `(?i)`. */
const token = /\\(?:x[0-9a-f]{2}|.)|\[(?:\[:[a-z]+:\]|\\.|[^\]\\])*\]|\(\?[a-z-]*(?::|\))|\(|\)|\{[0-9,]+\}|[^]/giu;

/**
 * A class with the other case of its ranges and letters. Letters outside classes keep their case:
 * issuers write them in one way.
 */
function foldedClass(text: string): string {
  const ranges = [...text.matchAll(/(?<!\\)([a-z])-([a-z])/gi)].flatMap(([range]) => [range.toLowerCase(), range.toUpperCase()]);
  const missing = [...new Set(ranges)].filter((range) => !text.includes(range));
  const singles = text
    .slice(1, -1)
    .replaceAll(/\\.|.-./g, "")
    .match(/[a-z]/gi);
  const more = (singles ?? []).flatMap((letter) => [letter.toLowerCase(), letter.toUpperCase()]).filter((letter) => !text.includes(letter));
  return `[${missing.join("")}${[...new Set(more)].join("")}${text.slice(1)}`;
}

/**
 * An expression of RE2 as one of ECMA-262 without flags: `(?i)` is written out, and what has no end
 * gets one.
 */
function withoutFlags(regex: string, folds: boolean): string {
  const scopes: boolean[] = [];
  let isFolded = folds;
  let out = "";
  for (const [part] of regex.matchAll(token)) {
    if (part === "(?i)") isFolded = true;
    else if (part === "(?-i)") isFolded = false;
    else if (part.startsWith("(")) {
      scopes.push(isFolded);
      if (part === "(?i:") isFolded = true;
      if (part === "(?-i:") isFolded = false;
      out += "(?:";
    } else if (part === ")") {
      isFolded = scopes.pop() ?? folds;
      out += ")";
    } else if (part.startsWith("[")) {
      const named = part.replaceAll("[:alnum:]", "a-zA-Z0-9");
      out += isFolded ? foldedClass(named) : named;
    } else if (/^\{\d+,\}$/.test(part)) out += part.replace(",}", ",400}");
    else out += part === "/" ? String.raw`\/` : part;
  }
  // `+` and `*` have an end too: what a rule reads is bounded.
  return out.replaceAll(/(?<!\\)\+(?![^[]*\])/g, "{1,400}").replaceAll(/(?<!\\)\*(?![^[]*\])/g, "{0,400}");
}

/** The words whose capitals are their own; the others are written as they stand. */
const spelled: { readonly [word: string]: string } = Object.fromEntries(
  "API AWS JWT GCP OAuth GitHub GitLab OpenAI npm PyPI CI TF CA ID URL SCIM PAT NuGet JFrog DigitalOcean 1Password Cloudflare HuggingFace LaunchDarkly LinkedIn SendGrid Slack Stripe Twilio Shopify Anthropic Telegram"
    .split(" ")
    .map((word) => [word.toLowerCase(), word]),
);

function labelOf(id: string): string {
  const words = id
    .replace(/^github-.*/, "github-token")
    .replace(/^gitlab-.*/, "gitlab-token")
    .replace(/^slack-webhook-url$/, "slack-webhook")
    .replace(/^slack-.*token$/, "slack-token")
    .replace(/^jwt$/, "json-web-token")
    .replace(/^gcp-api-key$/, "google-api-key")
    .replace(/^shopify-.*/, "shopify-token")
    .replace(/^aws-access-token$/, "aws-access-key")
    .replace(/^.*-(?:access|api)-token$/, (all) => all.replace(/-(?:access|api)-token$/, "-token"))
    .split("-");
  const text = words.map((word, i) => spelled[word] ?? (i === 0 ? word.charAt(0).toUpperCase() + word.slice(1) : word)).join(" ");
  return text.replace(/^Json web/, "JSON web");
}

/** Services whose keywords in gitleaks are of the secret, or have a pattern in the name. */
const namesByHand: { readonly [id: string]: readonly string[] } = {
  "gocardless-api-token": ["gocardless"],
  "new-relic-browser-api-token": ["new-relic", "newrelic", "new_relic"],
  "new-relic-insert-key": ["new-relic", "newrelic", "new_relic"],
  "new-relic-user-api-key": ["new-relic", "newrelic", "new_relic"],
};

const namesOf = ({ id, keywords }: Rule): readonly string[] => namesByHand[id] ?? keywords;

type Line = readonly (string | number)[];

/**
 * A token that is known by how it begins: label, keywords, entropy, expression, and how far before
 * the keyword it begins.
 */
function tokenLines({ id, regex, entropy, keywords }: Rule): Line[] {
  const label = labelOf(id);
  const hand = byHand[id];
  if (hand !== undefined) return hand.map(({ word, back = 0, regex: own }) => [label, word, entropy, own, ...(back === 0 ? [] : [back])]);
  const bare = regex.replaceAll(ending, "").replace(/\(\?:\[\^[^\]]*\]\|\\z\)$/, "");
  // One group around the whole says nothing.
  const own = withoutFlags(bare, false).replace(/^\\b\(\?:((?:[^()]|\([^()]*\))*)\)$/, (all, inside: string) =>
    inside.includes("|") && !inside.startsWith("(") ? all : String.raw`\b${inside}`,
  );
  return [[label, keywords.join(" "), entropy, own]];
}

export function generated(toml: string): string {
  const tokens: Line[] = [];
  /** The names, by entropy and expression: many services have secrets of one form. */
  const named = new Map<string, Set<string>>();
  for (const rule of rulesIn(toml)) {
    if (leftOut.has(rule.id) || seldom.test(rule.id)) continue;
    const [, , value] = framed.exec(rule.regex) ?? [];
    if (value !== undefined && byHand[rule.id] === undefined) {
      const form = JSON.stringify([rule.entropy, withoutFlags(value, true)]);
      const names = named.get(form) ?? new Set();
      named.set(form, names);
      for (const name of namesOf(rule)) names.add(name);
    } else tokens.push(...tokenLines(rule));
  }
  const list = (lines: readonly Line[]): string => lines.map((line) => `  ${JSON.stringify(line)},\n`).join("");
  return `// Made by scripts/secret-rules/generate.ts from
// ${source}; do not edit.
// The expressions are gitleaks', without flags and with bounds; Copyright (c) 2019 Zachary Rice,
// MIT licence (scripts/secret-rules/LICENSE).

/**
 * Label, keywords, least entropy in bits a character, expression; and how many characters before
 * the keyword it begins.
 */
export type SecretLine = readonly [label: string, words: string, entropy: number, expression: string, back?: number];

/** Tokens that are known by how they begin. */
export const tokenLines: readonly SecretLine[] = [
${list(tokens)}];

/**
 * Secrets that are known by the name before them: names of services, least entropy, and the form of
 * their secrets.
 */
export const namedLines: readonly (readonly [names: string, entropy: number, expression: string])[] = [
${list([...named].map(([form, names]) => [[...names].join(" "), ...(JSON.parse(form) as [number, string])]))}];
`;
}

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
export const generatedNow = (): string => generated(readFileSync(here("gitleaks.toml"), "utf8"));
export const generatedPath = here("../../shared/redaction/secret-rules.ts");

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(generatedPath, generatedNow());
