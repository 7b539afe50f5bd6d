// The finder of secrets: what it may cost.

import type { Mutant } from "./mutant.ts";

const secrets = { file: "shared/redaction/secrets.ts" };
const finder = (only: string): Mutant["test"] => ({ file: "test/shared/redaction/secrets.test.ts", only });
const redact = (only: string): Mutant["test"] => ({ file: "test/shared/redaction/redact.test.ts", only });

export const secretMutants: readonly Mutant[] = [
  {
    ...secrets,
    name: "a search for secrets ends with its steps",
    from: "if (search.isOver) return spans;",
    to: "",
    test: finder("takes no more steps than it may"),
  },
  {
    ...secrets,
    name: "a search for a token is paid for",
    from: "search.pay(leastSteps + 2 * Math.min(reach, search.wordFrom(at)));",
    to: "",
    test: finder("of an API key is not read to its end"),
  },
  {
    ...secrets,
    name: "a search for a private key's end is paid for",
    from: "search.pay(endAt === -1 ? key.length : endAt);",
    to: "",
    test: finder("of a private key is not read to its end"),
  },
  {
    file: "shared/redaction/redact.ts",
    name: "what was not searched for secrets to its end is not sent",
    from: "    if (work.steps < 0) work.over ??= rule.name;\n    return secrets;",
    to: "    return secrets;",
    test: redact("on which the finder of secrets would work for too long"),
  },
];
