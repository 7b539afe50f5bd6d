// A grant: a narrow, expiring permission that lets later requests pass one gate without review.
// What it covers, and how its uses and its money are counted. No clock, no storage.
//
// Grants come after the rules and never overrule one: a request that the policy refuses does not
// get here, and for a rule that does not enable grants `grantQueryOf` in shared/run/granting.ts
// makes no query.

import { canonicalJson, digestOf } from "../encoding.ts";
import type { SamplingRequest, ToolResultBlock } from "../model/sampling.ts";
import { type SubjectRequest, isMessage, isToolCall, walkPlain } from "../model/subject/subject.ts";
import { blanking } from "../model/subject/walk.ts";
import type { Candidate } from "../routing/choose.ts";
import { type Reach, isWithin } from "./evaluate.ts";
import { type SeenRisk, isRiskAtLeast } from "./risk.ts";

/** What the client asked the server for: a tool, a prompt or a resource. */
export type Tool = { readonly method: string; readonly name: string };

/**
 * Whose later requests it is for. Each scope is within the next, so that no choice is wider than it
 * sounds.
 */
export type GrantScope =
  /** The tool, in the session of the grant. `session` is the SessionObject's id. */
  | { readonly kind: "session"; readonly session: string; readonly server: string; readonly tool: Tool }
  | { readonly kind: "tool"; readonly server: string; readonly tool: Tool }
  /** Any tool of the server, where `boundTo` allows it. */
  | { readonly kind: "server"; readonly server: string }
  /** Any server of the API key, likewise. */
  | { readonly kind: "key" };

/** One of the arguments of a call, by its name, and the digest of its value. */
type ArgumentDigest = { readonly name: string; readonly digest: string };

/** More arguments than these are not told apart: a grant that pins a later one covers nothing. */
const mostArguments = 64;

/** The arguments that a reviewer can pin; none of what is no call. */
export const argumentDigests = (request: SubjectRequest): readonly ArgumentDigest[] =>
  isToolCall(request)
    ? Object.entries(request.arguments)
        .slice(0, mostArguments)
        .map(([name, value]) => ({ name, digest: digestOf("countersign/grant-argument/v1", { name, value }) }))
    : [];

export type Grant = {
  /**
   * An operator's, for any call of its scope at any gate, whatever the rules enable. Rules that
   * refuse still do.
   */
  readonly bypass?: true;
  readonly id: string;
  /** The API key's id. */
  readonly key: string;
  readonly gate: "request" | "response";
  readonly scope: GrantScope;
  readonly what: "exact" | "shape";
  /** The `requestDigest` or `shapeDigest` of the approved request. */
  readonly digest: string;
  /** Of a bypass: the operator's words, which people alone read. */
  readonly reason?: string;
  /** Of a call's shape: arguments that must have these values. */
  readonly pinned?: readonly ArgumentDigest[];
  /** The largest `requestCharacters` of a later request. */
  readonly charactersAtMost: number;
  readonly maxTokensAtMost: number;
  readonly riskAtMost: SeenRisk;
  /** At the response gate: a later reply with a higher risk is still reviewed. */
  readonly replyRiskAtMost?: SeenRisk;
  /** The association of the approved request; a later one must be as sure. */
  readonly provenance: "claimed" | "inferred" | "observed" | "own";
  /** The reviewer's name. */
  readonly by: string;
  /** The run of the approval. */
  readonly run: string;
  /** The rule that closed the gate. */
  readonly rule: string;
  /** Unix milliseconds. */
  readonly givenAt: number;
  /** Unix milliseconds, exclusive. */
  readonly expiresAt: number;
  readonly usesGiven: number;
  readonly usesLeft: number;
  /** Whole millionths of a US dollar. Each use costs the worst case of its request. */
  readonly spendLeftMicroUsd: number;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
};

/** A request at closed gates, as its key's grants judge it. */
export type GrantQuery = {
  /** The gates that the policy closes. */
  readonly gates: readonly ("request" | "response")[];
  /** Equal for repeats of one request, and for nothing else: each identity counts one use. */
  readonly identity: string;
  readonly run: string;
  /**
   * What the session says of it. `fresh`: it is new. `takenOver`: the Worker that had it vanished.
   * `repeat`: it is under way or was answered: only the use that was counted for it lets it
   * through, and no grant given since.
   */
  readonly asked: "fresh" | "takenOver" | "repeat";
  readonly exact: string;
  readonly shape: string;
  readonly session: string | null;
  readonly server: string;
  readonly tool: Tool;
  /** Of a call: absent for everything else. */
  readonly arguments?: readonly ArgumentDigest[];
  /** The rules let no reviewer's grant count. */
  readonly onlyBypass?: true;
  /** The widest reach of a grant by the current rule. */
  readonly boundTo: Reach;
  readonly characters: number;
  readonly maxTokens: number;
  readonly risk: SeenRisk;
  readonly provenance: Grant["provenance"];
  readonly worstCostMicroUsd: number;
  /** The current rule. */
  readonly rule: string;
  /** Names of those who could approve it now: a grant counts only while its giver could approve. */
  readonly deciders: readonly string[];
};

/** A gate that a grant opened. */
export type GrantPass = {
  readonly gate: Grant["gate"];
  readonly grant: string;
  readonly by: string;
  readonly replyRiskAtMost?: SeenRisk;
  readonly bypass?: true;
};

/** A use that was counted for a request, stored so that its repeats are not counted. */
export type GrantUse = {
  readonly identity: string;
  readonly gate: Grant["gate"];
  readonly grant: string;
  readonly run: string;
  readonly at: number;
  readonly microUsd: number;
};

/** A bypass lasts an hour where nothing else is said, and never longer than this. */
export const longestBypassHours = 8;

/** A bypass ends by its time: its uses are only told. */
const mostBypassed = 1_000_000;

/** What an operator lets pass: the calls of a key, at any server, at one, or of one tool of it. */
type Bypass = Pick<Grant, "id" | "key" | "by"> & {
  readonly server: string | undefined;
  readonly tool?: string | undefined;
  readonly reason?: string | undefined;
  readonly hours: number;
};

const bypassScope = ({ server, tool }: Bypass): GrantScope => {
  if (server === undefined) return { kind: "key" };
  return tool === undefined ? { kind: "server", server } : { kind: "tool", server, tool: { method: "tools/call", name: tool } };
};

/** An operator's leave for tool calls. */
export const bypassFrom = (bypass: Bypass, now: number): Grant => ({
  bypass: true,
  ...(bypass.reason === undefined ? {} : { reason: bypass.reason }),
  id: bypass.id,
  key: bypass.key,
  gate: "request",
  scope: bypassScope(bypass),
  what: "shape",
  digest: "",
  charactersAtMost: 0,
  maxTokensAtMost: 0,
  riskAtMost: "none",
  provenance: "own",
  by: bypass.by,
  run: "",
  rule: "",
  givenAt: now,
  expiresAt: now + Math.min(bypass.hours, longestBypassHours) * 3_600_000,
  usesGiven: mostBypassed,
  usesLeft: mostBypassed,
  spendLeftMicroUsd: 0,
  lastUsedAt: null,
  revokedAt: null,
});

/** The longest a grant may last. */
export const longestGrantMs = 30 * 24 * 3_600_000;

/**
 * Two requests of one identity within this time are simultaneous repeats: the session makes one of
 * them. A later one is known to the session; if the session has forgotten the first, the second is
 * a new request.
 */
export const sameMomentMs = 10_000;

const byConfidence: readonly Grant["provenance"][] = ["inferred", "claimed", "observed", "own"];

/** Whole millionths of a dollar, rounded up, so that sums do not drift. */
export const microUsd = (usd: number): number => Math.min(Math.ceil(usd * 1_000_000), Number.MAX_SAFE_INTEGER);

/**
 * The digest of a request's shape: everything in it that reaches a provider except what the
 * messages say, and which models it may go to, in order.
 *
 * In it are:
 * - the system prompt and the tools with their schemas, which say what the text is for;
 * - `toolChoice`, `temperature`, `stopSequences`, `metadata` and added context: all of them are
 *   sent, and the reviewer approved the values that they saw;
 * - the kinds of content in each role: a reviewer who read text has not allowed images, and one who
 *   read a user's words has not allowed words in the assistant's name, which the server writes too
 *   and a model takes for its own;
 * - the role of the last message, because the model goes on from there.
 *
 * Not in it are the words and the number of the messages (their size has a ceiling, and they are
 * checked for risks), `maxTokens` (which has a ceiling too) and `modelPreferences` (not sent; the
 * list of models is their effect). A field that is added to the neutral request later is in it
 * unless it is left out here.
 *
 * A call's shape is its tool, the definition that was shown, and which arguments there are: an
 * argument that the reviewer did not see is another call.
 */
export function shapeDigest(
  request: SubjectRequest,
  candidates: readonly { readonly model: Pick<Candidate["model"], "id" | "provider" | "name"> }[],
): string {
  if (isToolCall(request))
    return digestOf("countersign/grant-shape/v2", { ...walkPlain(request, blanking), names: Object.keys(request.arguments).toSorted() });
  if (!isMessage(request)) return digestOf("countersign/grant-shape/v2", walkPlain(request, blanking));
  const { messages, maxTokens: _ceiling, modelPreferences: _advice, ...sent } = request;
  const models = candidates.map(({ model }) => ({ id: model.id, provider: model.provider, name: model.name }));
  return digestOf("countersign/grant-shape/v2", { sent, kinds: kindsIn(messages), last: messages.at(-1)?.role ?? null, models });
}

function kindsIn(messages: SamplingRequest["messages"]): string[] {
  const kinds = new Set<string>();
  for (const { role, content } of messages) {
    for (const block of content) {
      kinds.add(`${role}/${block.type}`);
      if (block.type === "tool_result") for (const piece of block.content) kinds.add(`${role}/tool_result/${kindOf(piece)}`);
    }
  }
  return [...kinds].sort();
}

/** A resource's bytes count as their kind of media, because they are sent as an image or audio. */
function kindOf(piece: ToolResultBlock["content"][number]): string {
  if (piece.type !== "resource" || !("blob" in piece.resource)) return piece.type;
  const [media = ""] = (piece.resource.mimeType ?? "").split("/");
  return `resource/${media.trim().toLowerCase()}`;
}

/**
 * The size of what a grant's shape leaves open (the messages with their images and tool results, a
 * call's arguments): UTF-16 code units of its canonical JSON.
 */
export function requestCharacters(request: SubjectRequest): number {
  if (isMessage(request)) return canonicalJson(request.messages).length;
  return canonicalJson(request).length - canonicalJson(walkPlain(request, blanking)).length;
}

/**
 * The ceiling for later requests: the next of 1,000, 2,000, 5,000, 10,000, 20,000 and so on, at
 * most two and a half times the size.
 */
export function sizeCeiling(characters: number): number {
  for (let unit = 1_000; ; unit *= 10) {
    const found = [unit, 2 * unit, 5 * unit].find((ceiling) => characters <= ceiling);
    if (found !== undefined) return found;
  }
}

type GrantState = "live" | "usedUp" | "expired" | "revoked";

export function grantState(grant: Grant, now: number): GrantState {
  if (grant.revokedAt !== null) return "revoked";
  if (now >= grant.expiresAt) return "expired";
  return grant.usesLeft > 0 ? "live" : "usedUp";
}

/** Whether a grant is for this request at this gate, whatever uses and money are left. */
export function covers(grant: Grant, gate: Grant["gate"], query: GrantQuery, now: number): boolean {
  if (grant.revokedAt !== null || now >= grant.expiresAt) return false;
  if (grant.bypass === true) return query.arguments !== undefined && isOf(grant.scope, query);
  return (
    query.onlyBypass !== true &&
    grant.gate === gate &&
    grant.digest === (grant.what === "exact" ? query.exact : query.shape) &&
    (grant.pinned ?? []).every((pin) => query.arguments?.some(({ name, digest }) => name === pin.name && digest === pin.digest)) &&
    isOf(grant.scope, query) &&
    isWithin(reachOf(grant.scope), query.boundTo) &&
    query.characters <= grant.charactersAtMost &&
    query.maxTokens <= grant.maxTokensAtMost &&
    isRiskAtLeast(grant.riskAtMost, query.risk) &&
    byConfidence.indexOf(query.provenance) >= byConfidence.indexOf(grant.provenance) &&
    grant.rule === query.rule &&
    query.deciders.includes(grant.by)
  );
}

const reachOf = ({ kind }: GrantScope): Reach => (kind === "session" ? "tool" : kind);

const isSameTool = (one: Tool, other: Tool): boolean => one.method === other.method && one.name === other.name;

function isOf(scope: GrantScope, { session, server, tool }: GrantQuery): boolean {
  switch (scope.kind) {
    case "session":
      return scope.session === session && scope.server === server && isSameTool(scope.tool, tool);
    case "tool":
      return scope.server === server && isSameTool(scope.tool, tool);
    case "server":
      return scope.server === server;
    case "key":
      return true;
    default:
      return scope satisfies never;
  }
}

/**
 * The gates that grants open, the changed grants and the new uses: written in one transaction
 * before the answer.
 */
type Granted = { readonly passes: readonly GrantPass[]; readonly grants: readonly Grant[]; readonly uses: readonly GrantUse[] };

/**
 * Whether a use belongs to an earlier request that the session has forgotten. It is to be dropped.
 */
export const isForgotten = (use: GrantUse, query: GrantQuery, now: number): boolean =>
  query.asked === "fresh" && now - use.at >= sameMomentMs;

/**
 * Lets a request through the gates for which there is a grant, and counts the use. A repeat passes
 * by the use that was counted. So does a request that is taken over, and costs its money once more:
 * the model may have been paid for it already.
 * @param earlier The uses that were counted for the same identity.
 * @param now Unix milliseconds.
 */
export function useGrants(grants: readonly Grant[], earlier: readonly GrantUse[], query: GrantQuery, now: number): Granted {
  const passes: GrantPass[] = [];
  const changed: Grant[] = [];
  const uses: GrantUse[] = [];
  for (const gate of query.gates) {
    const cost = query.worstCostMicroUsd;
    const counted = earlier.find((use) => use.gate === gate && !isForgotten(use, query, now));
    const used = grants.find(({ id }) => id === counted?.grant);
    const again = query.asked === "takenOver" ? cost : 0;
    if (used !== undefined && covers(used, gate, query, now) && used.spendLeftMicroUsd >= again) {
      passes.push(passBy(used, gate));
      if (again > 0) changed.push({ ...used, spendLeftMicroUsd: used.spendLeftMicroUsd - again });
      continue;
    }
    if (query.asked === "repeat") continue;
    const [grant] = grants
      .filter((each) => covers(each, gate, query, now) && each.usesLeft > 0 && each.spendLeftMicroUsd >= cost)
      .sort(narrowestFirst);
    if (grant === undefined) continue;
    passes.push(passBy(grant, gate));
    changed.push({ ...grant, usesLeft: grant.usesLeft - 1, spendLeftMicroUsd: grant.spendLeftMicroUsd - cost, lastUsedAt: now });
    uses.push({ identity: query.identity, gate, grant: grant.id, run: query.run, at: now, microUsd: cost });
  }
  return { passes, grants: changed, uses };
}

const passBy = ({ id, by, replyRiskAtMost, bypass }: Grant, gate: Grant["gate"]): GrantPass => ({
  gate,
  grant: id,
  by,
  ...(bypass === undefined ? {} : { bypass }),
  ...(replyRiskAtMost === undefined ? {} : { replyRiskAtMost }),
});

/** The grant with a use returned that let nothing through. */
export const giveBack = (grant: Grant, { microUsd: cost }: Pick<GrantUse, "microUsd">): Grant => ({
  ...grant,
  usesLeft: Math.min(grant.usesLeft + 1, grant.usesGiven),
  spendLeftMicroUsd: grant.spendLeftMicroUsd + cost,
});

const scopes: readonly GrantScope["kind"][] = ["session", "tool", "server", "key"];

/** Of several grants that cover a request, the narrowest is used, and a bypass last. */
const narrowestFirst = (a: Grant, b: Grant): number =>
  Number(a.bypass === true) - Number(b.bypass === true) ||
  Number(a.what === "shape") - Number(b.what === "shape") ||
  scopes.indexOf(a.scope.kind) - scopes.indexOf(b.scope.kind) ||
  a.expiresAt - b.expiresAt ||
  (a.id < b.id ? -1 : 1);
