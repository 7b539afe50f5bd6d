// Signing in to the inbox: whose form it is, and who stops whose emails.

import type { Mutant } from "./mutant.ts";

const endpoint = "workers/endpoints/inbox/sign-in.ts";
const contract = "test/workers/contract/inbox-sign-in.test.ts";
const signIns = { file: "workers/objects/inbox/inbox-sign-ins.ts" };
const asked = { file: "shared/review/inbox.ts", test: { file: "test/shared/review/inbox.test.ts" } };

export const signInMutants: readonly Mutant[] = [
  {
    name: "a form of signing in is of its own page",
    file: endpoint,
    from: 'return judged === "early" ? "good" : judged;',
    to: 'return judged === "forged" ? "good" : judged === "early" ? "good" : judged;',
    test: { file: contract, only: "with the nonce of another link" },
  },
  {
    ...signIns,
    name: "strangers' emails keep no reviewer out",
    from: "if (!this.#hasStopped(id, askedAt, now)) {",
    to: "{",
    test: { file: contract, only: "keeps nobody out" },
  },
  {
    ...signIns,
    name: "fewer than three unused emails are for the browsers that asked for them",
    from: "unused.length >= mostUnused && ",
    to: "",
    test: { file: contract, only: "asked for this address too" },
  },
  {
    ...signIns,
    name: "an email that stopped none opens for the browser that asked for it",
    from: " && unused.includes(id)",
    to: "",
    test: { file: contract, only: "asked before a later one" },
  },
  {
    ...signIns,
    name: "an email that stopped another opens for ten minutes",
    from: " || now >= askedAt + signInMs",
    to: "",
    test: { file: contract, only: "asked ten minutes ago" },
  },
  {
    ...signIns,
    name: "a browser uses its link for ten minutes",
    from: 'if (now >= link.asked_at + signInMs) return { kind: "over" };',
    to: "",
    test: { file: contract, only: "ten minutes after it was asked for" },
  },
  {
    ...signIns,
    name: "an email counts for an hour",
    from: "time - unusedMs,",
    to: "0,",
    test: { file: contract, only: "sends no fourth email" },
  },
  {
    name: "a browser says by its gateway's proof when it asked",
    file: endpoint,
    from: "askedAt: browser?.askedAt ?? null,",
    to: "askedAt: Date.now(),",
    test: { file: contract, only: "signs in by none of their emails" },
  },
  {
    ...asked,
    name: "an asking browser's proof is compared",
    from: "keys.some((key) => equalBytes(mac, askedMac(",
    to: "keys.some((key) => mac.length > 0 || equalBytes(mac, askedMac(",
  },
  {
    ...asked,
    name: "an asking browser's proof is of one address",
    from: "concatBytes(head, utf8ToBytes(address))).subarray",
    to: "head).subarray",
  },
  {
    ...asked,
    name: "an asking browser's proof is good after the signing key has changed",
    from: "keys.some((key) => equalBytes(mac, askedMac(",
    to: "[keys[0]].some((key) => equalBytes(mac, askedMac(",
  },
];
