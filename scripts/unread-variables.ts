// Variables of `.dev.vars` that nothing reads: most are misspelled, and what they were to set stays
// unset without a word.

import { channelVariables } from "../shared/notice-channels.ts";

/** The gateway's own, as workers/platform/env.ts has them. */
const ownNames = [
  "ACCESS_AUD",
  "OPERATORS",
  "ACCESS_TEAM_DOMAIN",
  "ADMIN_TOKEN",
  "CONTENT_KEY",
  "CONTENT_KEY_PREVIOUS",
  "DEV_API_KEY",
  "HEARTBEAT_SECONDS",
  "INBOX_SESSION_HOURS",
  "LINK_HOURS",
  "LINK_KEY",
  "LINK_KEY_PREVIOUS",
  "METRICS_TOKEN",
  "MODEL_TIMEOUT_SECONDS",
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_HEADERS",
  "OTEL_SERVICE_NAME",
  "OTEL_TRACES_SAMPLER_ARG",
  "OUTBOX",
  "PUBLIC_URL",
  "RECORD",
  "RECORD_DAYS",
  "RECORD_PUBLIC",
  "RECORD_WITNESS_KEY",
  "RECORD_WITNESS_URL",
  "RELAY_HOLD_SECONDS",
  "RETENTION_HOURS",
  ...channelVariables.flatMap(([name]) => (name.includes("<") ? [] : [name])),
];
/** Those of channels that the policy names. */
const ofChannels = channelVariables.flatMap(([name]) =>
  name.includes("<") ? [new RegExp(`^${name.replace(/<[A-Z]+>/, "[A-Z0-9_]+")}$`)] : [],
);

export type Unread = {
  readonly name: string;
  /** The name that was probably meant; null where none is near. */ readonly meant: string | null;
};

/** The variables that neither the gateway nor `named`, the names in its documents, read. */
export function unreadVariables(given: readonly string[], named: ReadonlySet<string>): Unread[] {
  const known = [...ownNames, ...named];
  return given
    .filter((name) => !known.includes(name) && !ofChannels.some((each) => each.test(name)))
    .map((name) => ({ name, meant: nearest(name, known) }));
}

/**
 * The known name that shares the most words with this one, and then the longest beginning; null
 * where none shares half of its words.
 */
function nearest(name: string, known: readonly string[]): string | null {
  const words = new Set(name.split("_"));
  let best: { readonly name: string; readonly score: number } | null = null;
  for (const other of known) {
    const others = other.split("_");
    const common = others.filter((word) => words.has(word)).length;
    const share = common / Math.max(words.size, others.length);
    const score = share + beginningOf(name, other) / 1_000;
    if (share >= 0.5 && score > (best?.score ?? 0)) best = { name: other, score };
  }
  return best?.name ?? null;
}

/** How many characters two names begin with alike. */
function beginningOf(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
