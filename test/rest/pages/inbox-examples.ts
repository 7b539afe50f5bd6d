// The pages of an inbox in each of their states, in which every text from outside can be replaced.

import type { DevicesInput } from "../../../workers/ui/inbox/devices.tsx";
import type { InboxItem, InboxList } from "../../../shared/review/inbox-list.ts";
import type { ReviewView, ToolCallView } from "../../../shared/review/view.ts";
import type { Page } from "../../../workers/ui/page.ts";
import { withArguments } from "../../../shared/model/subject/tool-call.ts";
import { openRequest, openResponse, typedCall } from "../../outside/pages/examples.ts";

const now = openRequest.now;
const query = { filter: "all", sort: "time", group: "alike", page: 1 } as const;
const inbox = { path: "/inbox", count: 4 } as const;

const availability = {
  action: "/inbox/availability",
  nonce: "n0nce",
  typed: { zone: "Europe/Berlin", from: "2026-12-24", until: "2027-01-03", to: "Bo Chen", quiet: "22:00", loud: "07:00" },
  standIns: ["Bo Chen", "Cy Young"],
  problem: null,
  isSaved: true,
} as const;

const item = (
  minutes: number,
  more: Omit<Partial<InboxItem>, "facts"> & { readonly facts?: Partial<InboxItem["facts"]> } = {},
): InboxItem => ({
  run: `run_${minutes}`,
  gate: "request",
  deadlineAt: now + minutes * 60_000,
  warnings: 0,
  groupSize: null,
  isGrouped: false,
  ...more,
  facts: {
    requestKind: "sampling",
    server: "notes",
    client: "desk-assistant",
    name: "summarize",
    model: "gpt-6.1-terra",
    risks: [],
    cost: { kind: "atMost", usd: 0.0022 },
    quorum: null,
    voters: [],
    tools: 0,
    images: 0,
    handedBy: null,
    rule: "default",
    ...more.facts,
  },
});

const items: readonly InboxItem[] = [
  item(0.7, {
    facts: {
      server: "calendar",
      name: "plan_week",
      tools: 3,
      rule: "tools",
      excerpt: "Find two free hours for the team next week.\nAnd book them.",
    },
  }),
  item(4, {
    warnings: 2,
    facts: {
      server: "web",
      name: "research",
      risks: [{ level: "high", count: 2 }],
      images: 1,
      excerpt: `Summarize \u202eevil\u202c ${"the council meets on the first Tuesday of the month ".repeat(5)}`,
    },
  }),
  item(9, { groupSize: 2, isGrouped: true }),
  item(11, { isGrouped: true }),
  item(30, { gate: "response", facts: { server: "crm", name: "draft_reply", cost: { kind: "was", usd: 0.0008 }, handedBy: "Bo Chen" } }),
  item(55, { facts: { server: "deploy", name: "release_notes", quorum: { needed: 2, votes: 1 }, voters: ["Cy Young"] } }),
];

const listOf = (shown: readonly InboxItem[]): InboxList => ({
  counts: { all: shown.length, prompts: 5, replies: 1, warnings: 1, last: 1 },
  page: 1,
  pages: 1,
  items: shown,
});

const together = (views: readonly ReviewView[], more: object = {}): Page => ({
  kind: "bulk",
  input: {
    action: "/inbox/together",
    reviews: views.map((view, i) => ({
      key: `request:run_${i}`,
      view,
      value: `request:run_${i}~1~d~n`,
      path: `/inbox/reviews/request/run_${i}`,
      without: "/inbox",
    })),
    isAlike: true,
    mayApprove: true,
    over: 1,
    most: null,
    isDenying: false,
    reader: "Ann Lee",
    inbox,
    ...more,
  },
});

const callOf = (tool: string, json: string, more: Partial<ToolCallView> = {}): ToolCallView => ({
  ...typedCall,
  risks: [],
  series: "s",
  mayStop: "session",
  requestor: { ...typedCall.requestor, server: "files", name: tool },
  request: withArguments({ ...typedCall.request, server: "files", tool }, json),
  ...more,
});

const read = (path: string): ToolCallView => callOf("read_file", JSON.stringify({ path }));
const rounding = "const cents = Math.round(x * 100)\nif (!Number.isSafeInteger(cents)) throw new RangeError()\nreturn cents / 100";

const calls: readonly ToolCallView[] = [
  read("src/pay/ledger.ts"),
  read("src/pay/tax.ts"),
  callOf("write_file", JSON.stringify({ path: "src/pay/round.ts", content: rounding }), {
    before: withArguments(typedCall.request, JSON.stringify({ path: "src/pay/round.ts", content: "return Math.round(x)" })),
  }),
  callOf("write_file", JSON.stringify({ path: ".github/workflows/ci.yml", content: "on: push" }), {
    risks: [{ level: "medium", kind: "overridesInstructions", pointer: "/arguments" }],
  }),
];

const back = {
  action: "/inbox/connections/return/github",
  nonce: "n0nce",
  server: "github",
  isRefused: false,
  fields: { state: "state" },
  reader: "Ada",
  inbox: { path: "/inbox", count: 2 },
};

const devices: DevicesInput = {
  action: "/inbox/devices",
  nonce: "n0nce",
  devices: [
    { id: "d1", label: "Firefox · Android", madeAt: now - 86_400_000 },
    { id: "d2", label: "", madeAt: now },
  ],
  isUsed: true,
  said: "on",
  app: { home: "/inbox", inbox: "i" },
};

export const inboxPages: Readonly<Record<string, Page>> = {
  "an inbox": {
    kind: "inbox",
    input: { path: "/inbox", reader: "Ann Lee", list: listOf(items), query, now, availability, devices, signOut: { nonce: "n0nce" } },
  },
  "an inbox with nothing": {
    kind: "inbox",
    input: {
      path: "/inbox",
      reader: "Ann Lee",
      list: { counts: { all: 0, prompts: 0, replies: 0, warnings: 0, last: 0 }, page: 1, pages: 1, items: [] },
      query,
      now,
      availability: { ...availability, isSaved: false, problem: "away" },
      devices: { ...devices, devices: [], isUsed: false, said: "full" },
      signOut: { path: "/cdn-cgi/access/logout" },
    },
  },
  "reviews together": together([openRequest, { ...openRequest, run: "run_1" }]),
  "reviews together, to deny": together([openResponse, openRequest], { isAlike: false, isDenying: true, most: 15 }),
  "calls of one session": together(calls),
  "what came of several": {
    kind: "bulkDone",
    input: {
      reviews: [
        { key: "request:run_0", path: "/inbox/reviews/request/run_0", view: openRequest, outcome: "approved" },
        { key: "request:run_1", path: "/inbox/reviews/request/run_1", view: openRequest, outcome: "stale" },
        { key: "request:run_2", path: null, view: null, outcome: "failed" },
      ],
      rest: null,
      reader: "Ann Lee",
      inbox,
    },
  },
  "signing in": {
    kind: "signIn",
    input: {
      action: "/inbox/sign-in",
      nonce: "n0nce",
      to: null,
      email: "",
      canSend: true,
      issuers: { action: "/inbox/issuer", names: ["office"] },
      problem: "address",
    },
  },
  "no way to sign in": {
    kind: "signIn",
    input: {
      action: "/inbox/sign-in",
      nonce: "n0nce",
      to: null,
      email: "",
      canSend: false,
      issuers: { action: "/inbox/issuer", names: [] },
    },
  },
  "a sign-in link was asked for": { kind: "signInAsked", input: { again: "/inbox" } },
  "a sign-in link": { kind: "signInEnter", input: { action: "/inbox/sign-in/t", nonce: "n0nce" } },
  "a client that registered itself": {
    kind: "connect",
    input: {
      action: "/inbox/connect?client_id=x",
      nonce: "n0nce",
      client: "MCP Inspector",
      verifiedHost: null,
      redirectHost: "127.0.0.1",
      isLocal: true,
      server: "notes",
      tools: { allow: ["read_*", "search"], deny: ["*_secret"] },
      mostDays: 30,
      reader: "Ada",
      inbox: { path: "/inbox", count: 6 },
    },
  },
  "a client whose host is known, too late": {
    kind: "connect",
    input: {
      action: "/inbox/connect?client_id=x",
      nonce: "n0nce",
      client: "Claude",
      verifiedHost: "claude.ai",
      redirectHost: "claude.ai",
      isLocal: false,
      server: "notes",
      tools: {},
      mostDays: undefined,
      reader: "Ada",
      inbox: { path: "/inbox", count: 6 },
      problem: "late",
    },
  },
  "a client that was let in": {
    kind: "connected",
    input: { client: "Claude", isAllowed: true, to: "https://claude.ai/api/mcp/auth_callback?code=x", host: "claude.ai" },
  },
  "a client that this person may not let in": { kind: "connectNotAllowed", input: { reader: "Ann Lee", server: "notes" } },
  "a client that cannot be trusted": { kind: "connectRefused", input: { why: "Invalid redirect URI" } },
  "the clients of a person": {
    kind: "connections",
    input: {
      action: "/inbox/connections",
      nonce: "n0nce",
      connections: [
        { id: "key_1", name: "Claude", client: "claude.ai", servers: ["notes"], createdAt: Date.UTC(2026, 10, 20), expiresAt: null },
        {
          id: "key_2",
          name: "Inspector",
          client: null,
          servers: ["github"],
          createdAt: Date.UTC(2026, 10, 24),
          expiresAt: Date.UTC(2026, 10, 26),
        },
      ],
      now: Date.UTC(2026, 10, 25),
      logins: {
        action: "/inbox/connections/servers",
        list: [
          { server: "github", state: "connected", account: "ann-k", scope: "repo read:org", endedAt: null },
          { server: "notion", state: "ended", account: null, scope: null, endedAt: 1_780_000_000_000 },
          { server: "linear", state: "none", account: null, scope: null, endedAt: null },
        ],
        said: { server: "github", what: "connected" },
      },
      isEnded: true,
      reader: "Ada",
      inbox: { path: "/inbox", count: 6 },
    },
  },
  "on the way to a server's own sign-in": {
    kind: "loginLeave",
    input: { server: "github", to: "https://github.com/login/oauth/authorize", host: "github.com" },
  },
  "back from a server's own sign-in": { kind: "loginReturn", input: back },
  "back from a server's own sign-in that said no": { kind: "loginReturn", input: { ...back, isRefused: true } },
};
