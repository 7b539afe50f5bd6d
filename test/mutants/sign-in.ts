// Signing in to the inbox: whose form it is, and who stops whose emails.

import type { Mutant } from "./mutant.ts";

const endpoint = "workers/endpoints/inbox/sign-in.ts";
const contract = "test/workers/contract/inbox-sign-in.test.ts";

export const signInMutants: readonly Mutant[] = [
  {
    name: "a form of signing in is of its own page",
    file: endpoint,
    from: 'return judged === "early" ? "good" : judged;',
    to: 'return judged === "forged" ? "good" : judged === "early" ? "good" : judged;',
    test: { file: contract, only: "with the nonce of another link" },
  },
];
