// The documents of the gateway under attack. The name of an MCP server says which gates its
// requests meet, and the name of a tool what its calls do.

const gate = (server: string, then: object): object => ({ name: server, when: { server }, then });

/**
 * Reviewers with an address of their own in each channel: more than five notices in a minute to one
 * address become a digest. An attack takes the next place.
 */
export const placesPerChannel = 60;
/** Of the chats in which nothing can be decided, and of devices. */
export const fewPlaces = 12;
export const slackMember = (place: number): string => `U0S${place}`;
export const emailAddress = (place: number): string => `mia${place}@example.org`;
export const webhookName = (place: number): string => `HOOK${place}`;
export const ntfyName = (place: number): string => `ATTACK${place}`;
export const ntfyTopic = (place: number): string => `topic-of-the-attacks-${place}`;
export const telegramChat = (place: number): string => `420${place}`;
export const pushAddress = (place: number): string => `pia${place}@example.org`;
const firstNames = { slack: "Sam", email: "Mia", webhook: "Wim", ntfy: "Nia", telegram: "Tom", push: "Pia" } as const;
export type PlacedChannel = keyof typeof firstNames;
export const nameAt = (channel: PlacedChannel, place: number): string => `${firstNames[channel]} ${place}`;
const each = <T>(make: (place: number) => T, length = placesPerChannel): T[] => Array.from({ length }, (_, place) => make(place));
const channels = ["slack", "email", "webhook", "ntfy", "telegram", "push"] as const;
/** How many reviewers a channel has. */
export const placesOf = (channel: PlacedChannel): number =>
  channel === "slack" || channel === "email" || channel === "webhook" ? placesPerChannel : fewPlaces;

/** What is asked about a client's call, by its tool. */
const callsOf = (tool: string, then: { readonly request: string } & Record<string, unknown>, when: object = {}): object => ({
  name: `${then.request}: ${tool}`,
  when: { subject: "toolCall", server: "calls*", tool, ...when },
  then: { response: "allow", ...then },
});

const ada = { name: "Ada", email: "ada@example.org" };
const ben = { name: "Ben", email: "ben@example.org" };
const pia = { name: "Pia", email: "pia@example.org" };
const quin = { name: "Quin", email: "quin@example.org" };
const rae = { name: "Rae", email: "rae@example.org" };
const cleo = { name: "Cleo" };

export const policy = {
  rules: [
    gate("open*", { request: "allow", response: "allow" }),
    gate("notes", { request: "allow", response: "allow" }),
    gate("control", { request: "allow", response: "allow" }),
    gate("modern", { request: "allow", response: "allow" }),
    gate("refused", { request: "refuse", response: "allow" }),
    gate("request-gate", { request: "review", response: "allow", tellReason: true }),
    gate("response-gate", { request: "allow", response: "review" }),
    gate("two-of-three", { request: "review", response: "allow", quorum: 2, reviewers: ["three"] }),
    gate("not-own", { request: "review", response: "allow", selfApproval: false, reviewers: ["adaAndBen"] }),
    gate("grants", { request: "review", response: "allow", grants: true }),
    gate("grants-later-refused", { request: "refuse", response: "allow", grants: true }),
    gate("passkey", { request: "review", response: "allow", reviewers: ["signers"], confirm: "passkey" }),
    gate("passkey-both", { request: "review", response: "review", reviewers: ["Pia"], confirm: "passkey" }),
    gate("signed-in", { request: "review", response: "allow", reviewers: ["Rae"], identity: "signedIn" }),
    gate("short", { request: "review", response: "allow", deadlineSeconds: 5 }),
    ...channels.flatMap((channel) =>
      each(
        (place) =>
          gate(`by-${channel}-${place}`, {
            request: "review",
            response: "allow",
            reviewers: [`${channel}-${place}`],
            noticeExcerpt: "start",
          }),
        placesOf(channel),
      ),
    ),
    ...each(
      (place) => gate(`signed-in-${place}`, { request: "review", response: "allow", reviewers: [`push-${place}`], identity: "signedIn" }),
      fewPlaces,
    ),
    callsOf("delete_*", { request: "review", tellReason: true }),
    callsOf("two_*", { request: "review", quorum: 2, reviewers: ["three"] }),
    callsOf("own_*", { request: "review", reviewers: ["adaAndBen"] }),
    callsOf("sign_*", { request: "review", reviewers: ["Pia"], confirm: "passkey" }),
    callsOf("confirm_*", { request: "confirm" }),
    callsOf("read_*", { request: "allow", response: "review" }),
    callsOf("grant_*", { request: "review", grants: true }),
    callsOf("drop_*", { request: "refuse" }),
    callsOf("pay", { request: "allow" }, { arguments: [{ pointer: "/amount", under: 100 }] }),
    callsOf("pay", { request: "review" }),
    { name: "commands", when: { subject: "toolCall", server: "claude-code", tool: "Bash" }, then: { request: "review" } },
    { name: "brief forms", when: { subject: "form", server: "forms-brief" }, then: { request: "confirm", deadlineSeconds: 1 } },
    gate("by-slack-or-email", { request: "review", response: "allow", reviewers: ["slackOrEmail"], deadlineSeconds: 600 }),
  ],
  default: { request: "review", response: "review", reviewers: ["everyone"], deadlineSeconds: 600 },
  redaction: { rules: [{ name: "tokens", when: { subject: "toolCall", server: "calls-masked" }, pattern: "tok_[a-z]+" }] },
  imageHosts: ["images.example.com"],
  reviewers: {
    everyone: [cleo],
    three: [cleo, { name: "Dora" }, { name: "Emil" }],
    adaAndBen: [ada, ben],
    signers: [pia, quin],
    signedIn: [rae],
    formOwners: [{ name: "Fay", email: "fay@example.org" }],
    slackOrEmail: [{ name: "Sol", slack: "U0ADA", email: "sol@example.org", notify: ["slack", "email"] }],
    ...Object.fromEntries(
      each((place) => [
        [`slack-${place}`, [{ name: nameAt("slack", place), slack: slackMember(place) }]],
        [`email-${place}`, [{ name: nameAt("email", place), email: emailAddress(place) }]],
        [`webhook-${place}`, [{ name: nameAt("webhook", place), webhook: webhookName(place) }]],
      ]).flat(),
    ),
    ...Object.fromEntries(
      each(
        (place) => [
          [`ntfy-${place}`, [{ name: nameAt("ntfy", place), ntfy: ntfyName(place) }]],
          [`telegram-${place}`, [{ name: nameAt("telegram", place), telegram: telegramChat(place) }]],
          [`push-${place}`, [{ name: nameAt("push", place), email: pushAddress(place) }]],
        ],
        fewPlaces,
      ).flat(),
    ),
  },
};

/** Models at this address of an OpenAI-compatible API. `first` is asked first. */
export const routing = (openaiUrl: string): object => ({
  providers: { scripted: { kind: "openai", baseUrl: openaiUrl, keyless: true, allowPrivate: true } },
  models: ["first"].map((id) => ({
    id,
    provider: "scripted",
    name: `vendor/${id}`,
    tools: true,
    accepts: ["text", "image"],
    contextTokens: 2_000_000,
    maxOutputTokens: 10_000,
    price: { inputPerMTok: 1, outputPerMTok: 2 },
    scores: { intelligence: 0.5, speed: 0.5, cost: 0.5 },
  })),
});

export const servers = (url: string, redirectUrl: string): object => ({
  servers: {
    notes: { url, secret: "NOTES_TOKEN", allowPrivate: true, protocol: "2025", connections: { reviewers: ["adaAndBen"] } },
    modern: { url, allowPrivate: true, protocol: "2026", secret: "NOTES_TOKEN", connections: { reviewers: ["Ada"] } },
    "modern-reviewed": { url, allowPrivate: true, protocol: "2026" },
    "modern-else": { url, allowPrivate: true, protocol: "2026" },
    calls: { url, allowPrivate: true, protocol: "2025" },
    "calls-else": { url, allowPrivate: true, protocol: "2025" },
    "calls-modern": { url, allowPrivate: true, protocol: "2026" },
    "calls-signed": { url, allowPrivate: true, protocol: "2025", receipts: true },
    "calls-masked": { url, allowPrivate: true, protocol: "2025" },
    "calls-pinned": { url, allowPrivate: true, protocol: "2025", pin: "hold" },
    forms: { url, allowPrivate: true, protocol: "2025", elicitation: "fulfil" },
    "forms-brief": { url, allowPrivate: true, protocol: "2025", elicitation: "fulfil" },
    "forms-listed": { url, allowPrivate: true, protocol: "2025", elicitation: "fulfil", elicitationHosts: ["linear.app"] },
    passing: { url, passAuthorization: true, allowPrivate: true, protocol: "2025" },
    ...Object.fromEntries(
      [301, 302, 303, 307, 308].map((status) => [
        `leads-inside-${status}`,
        { url: `${redirectUrl}/${status}`, allowPrivate: true, protocol: "2025", secret: "NOTES_TOKEN" },
      ]),
    ),
  },
});
