// The secrets of a gateway, for `.dev.vars.example`: each with what it is for, none with a value.

import { type NoticeChannel, channelFacts, noticeChannelNames } from "../../shared/notice-channels.ts";

type Secret = { readonly name: string; readonly what: string; readonly needed?: true };

const variablesOf = (channel: NoticeChannel): Secret[] =>
  Object.entries(channelFacts(channel).variables).flatMap(([name, what]) => (what === null ? [] : [{ name, what }]));

/**
 * In the order in which a new gateway gets them. A name in capitals between underscores, like
 * `<NAME>`, is the policy's own.
 */
export const secrets: readonly Secret[] = [
  { name: "LINK_KEY", needed: true, what: "Signs run ids, review links and API keys. 16 characters or more, random." },
  { name: "ADMIN_TOKEN", needed: true, what: "The operator's token for /admin. 16 characters or more, random." },
  {
    name: "DEV_API_KEY",
    needed: true,
    what: "An API key for this machine alone; a deployed gateway does not accept it. 16 characters or more.",
  },
  {
    name: "CONTENT_KEY",
    what: "Encrypts the prompts and replies that are stored. 32 random characters; without it they are stored as plain text.",
  },
  { name: "LINK_KEY_PREVIOUS", what: "The LINK_KEY before this one, while links that it signed are still open." },
  { name: "CONTENT_KEY_PREVIOUS", what: "The CONTENT_KEY before this one, while content that it encrypted is still kept." },
  {
    name: "ANTHROPIC_API_KEY",
    what: "A provider's credential, by the name that the routing table has. Without one, a demo model answers.",
  },
  { name: "OPENAI_API_KEY", what: "The same, of OpenAI." },
  {
    name: "LOCAL_OPENAI_BASE_URL",
    what: "The address of an OpenAI-compatible server, like http://127.0.0.1:11434/v1. A variable, not a secret.",
  },
  { name: "METRICS_TOKEN", what: "16 characters or more: may read GET /metrics, and nothing else." },
  { name: "OTEL_EXPORTER_OTLP_HEADERS", what: "The headers of exports of spans, such as authorization=Bearer%20…" },
  // Sorted by the channel's name; its own stay in their order.
  ...noticeChannelNames.toSorted().flatMap((channel) => variablesOf(channel)),
];

/**
 * The text of `.dev.vars.example`. A gateway needs the first ones to run on this machine; the
 * others are comments.
 */
export const devVarsExample = (): string =>
  [
    "# Copy this file to .dev.vars and fill in the values: README.md has the command. `npm run dev` reads .dev.vars, which git ignores.",
    "# A deployed gateway has its own values: npx wrangler secret put <name>.",
    ...secrets.flatMap(({ name, what, needed }) => ["", `# ${what}`, `${needed === true ? "" : "# "}${name}=`]),
    "",
  ].join("\n");
