// The finder of secrets: what it may cost, and what it finds.

import type { Mutant } from "./mutant.ts";

const secrets = { file: "shared/redaction/secrets.ts" };
const finder = (only: string): Mutant["test"] => ({ file: "test/shared/redaction/secrets.test.ts", only });
const redact = (only: string): Mutant["test"] => ({ file: "test/shared/redaction/redact.test.ts", only });

const shapes = { file: "shared/secret-shapes.ts" };
const shape = (only: string): Mutant["test"] => ({ file: "test/shared/secret-shapes.test.ts", only });

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
  {
    ...shapes,
    name: "a card's number has its check digit",
    from: " && luhnOf(digits) % 10 === 0",
    to: "",
    test: shape("with a wrong check digit"),
  },
  {
    ...shapes,
    name: "every second digit of a card counts double",
    from: "(place % 2 === 0 ? 1 : 2)",
    to: "(place % 2 === 0 ? 2 : 1)",
    test: shape("is any of an issuer's"),
  },
  {
    ...shapes,
    name: "groups before a card do not hide it",
    from: "(card?.length ?? /^\\d+/.exec(written)?.[0].length ?? 0)",
    to: "written.length",
    test: shape("4111 1111 1111 1111 is found"),
  },
  {
    ...shapes,
    name: "a path in a program is no password",
    from: " || /^[a-z_]\\w*(?:\\.[a-z_]\\w*)+$/i.test(value)",
    to: "",
    test: shape("password = user.password2"),
  },
  {
    file: "shared/policy/scan-text.ts",
    name: "every kind of key in a run is found",
    from: "if (!found.has(kind) && hasKey(run, prefix, least)) found.add(kind);",
    to: "if (found.size === 0 && hasKey(run, prefix, least)) found.add(kind);",
    test: { file: "test/shared/policy/risk.test.ts", only: "each kind of secret is a warning of its own" },
  },
  {
    file: "shared/policy/risk.ts",
    name: "one kind of secret does not hide another",
    from: '"of" in finding ? finding.of : ""',
    to: '""',
    test: { file: "test/shared/policy/risk.test.ts", only: "do not hide another kind" },
  },
];
