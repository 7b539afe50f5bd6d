import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { searchLimits } from "../../../shared/redaction/redact.ts";
import { findSecrets } from "../../../shared/redaction/secrets.ts";
import { namedLines, tokenLines } from "../../../shared/redaction/secret-rules.ts";
import { generatedNow, generatedPath } from "../../../scripts/secret-rules/generate.ts";

/** Put together here, so that this file has nothing in it that looks like a real secret. */
const alnum = "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA2bC4dE6";
const found = (text: string, set: "known" | "assigned" = "known"): [string, string][] =>
  findSecrets(text, set, { steps: searchLimits.steps }).map(({ start, end, label }) => [label, text.slice(start, end)]);

describe("the rules of secrets", () => {
  test("are those that gitleaks' file makes", () => {
    expect(readFileSync(generatedPath, "utf8").replaceAll("\r\n", "\n")).toBe(generatedNow());
  });

  // So the platform's matcher, started at one place, does no more than these bounds let it.
  test("have no repetition without an end, and none within a repetition", () => {
    for (const expression of [...tokenLines.map(([, , , each]) => each), ...namedLines.map(([, , each]) => each)]) {
      const bare = expression.replaceAll(/\\.|\[(?:\\.|[^\]])*\]/g, "x");
      expect(bare, expression).not.toMatch(/[+*]|\{\d+,\}/);
      // A group that is repeated has inside it only counts that are fixed.
      for (const [, inside = ""] of bare.matchAll(/\(\?:([^()]*)\)\{/g)) expect(inside, expression).not.toMatch(/\{\d+,\d+\}.*\{\d+,\d+\}/);
    }
  });
});

describe("a secret", () => {
  const token = `ghp_${alnum.slice(0, 36)}`;

  test.each([
    ["alone", token],
    ["in a sentence", `Use ${token}, please.`],
    ["in JSON", JSON.stringify({ token })],
    ["in JSON in a text of JSON", JSON.stringify(JSON.stringify({ token }))],
    ["in brackets", `(${token})`],
    ["at the end of a line", `token=${token}\nnext`],
  ])("is found %s, and nothing around it", (_where, text) => {
    expect(found(text)).toEqual([["GitHub token", token]]);
  });

  test("that is longer than its form is masked to its end", () => {
    expect(found(`${token}xyz!`)).toEqual([["GitHub token", `${token}xyz`]]);
  });

  test("of a service that its name alone tells is found by its name", () => {
    const value = "a1b2c3d4".repeat(4);
    expect(found(`DISCORD_CLIENT_SECRET="${value}"`)).toEqual([["discord secret", value]]);
    expect(found(`checksum="${value}"`)).toEqual([]);
  });

  test("is a private key from its first line to its last, and what is left of one that was cut", () => {
    const [begin, end] = [`-----BEGIN RSA ${"PRIVATE KEY"}-----`, `-----END RSA ${"PRIVATE KEY"}-----`];
    const body = `${alnum}${alnum}\n${alnum}`;
    expect(found(`a\n${begin}\n${body}\n${end}\nb`)).toEqual([["private key", `${begin}\n${body}\n${end}`]]);
    expect(found(`a\n${begin}\n${body}\n\nThen more words.`)).toEqual([["private key", `${begin}\n${body}`]]);
  });

  test("is the password of an address, and not its user or its host", () => {
    expect(found("postgres://app:hunter22@db.example.com:5432/x")).toEqual([["password in a URL", "hunter22"]]);
    expect(found("http://example.com:8080/a@b")).toEqual([]);
  });

  test("without a form is found by its name only where that is asked for", () => {
    const text = 'password: "t7Kp2xQ9vL4mZ8wR"';
    expect(found(text)).toEqual([]);
    expect(found(text, "assigned")).toEqual([["password", "t7Kp2xQ9vL4mZ8wR"]]);
    expect(found("password: correct horse battery staple", "assigned")).toEqual([]);
  });
});

describe("a text that is made of keywords", () => {
  const words = new Set([
    ..."sk- ya29. gocspx- :// -----begin access auth api credential creds key passwd password secret token".split(" "),
    ...tokenLines.flatMap(([, each]) => each.split(" ")),
    ...namedLines.flatMap(([names]) => names.split(" ")),
  ]);
  const shapes: readonly ((word: string) => string)[] = [
    (word) => word,
    (word) => `${word}proj-`,
    (word) => word.toUpperCase(),
    (word) => `${word}1aB`,
    (word) => `${word}=${"x".repeat(24)}`,
    (word) => `${word} : `,
  ];
  const budget = 1_000_000;
  /** More than any run over one keyword's place can take, all rules together. */
  const oneRun = 100_000;

  test.each([...words])("such as %j takes no more steps than it may", (word) => {
    for (const shape of shapes) {
      const unit = shape(word);
      const work = { steps: budget };
      findSecrets(unit.repeat(Math.ceil(400_000 / unit.length)), "assigned", work);
      expect(work.steps, unit).toBeGreaterThan(-oneRun);
    }
  });

  test.each([
    ["of an API key", "sk-proj-", 4_000_000],
    ["of a JSON web token", `${"eyJ".repeat(300)}.ey${"a".repeat(8_000)} `, 1_000_000],
    ["of a private key", `-----BEGIN ${"PRIVATE KEY"}-----`, 1_000_000],
    ["of the name of a secret", `password=${"x".repeat(40)}`, 16_000_000],
  ])("%s is not read to its end with a request's steps", (_what, unit, length) => {
    const work = { steps: searchLimits.steps };
    findSecrets(unit.repeat(Math.ceil(length / unit.length)), "assigned", work);
    expect(work.steps).toBeLessThan(0);
  });

  test("but no secrets has steps to spare, at the size of the largest request", () => {
    for (const file of ["credentials.md", "security.md", "policy.md"]) {
      const text = readFileSync(new URL(`../../../docs/${file}`, import.meta.url), "utf8");
      const work = { steps: searchLimits.steps };
      findSecrets(text.repeat(Math.ceil(4_000_000 / text.length)), "assigned", work);
      expect(work.steps, file).toBeGreaterThan(searchLimits.steps / 2);
    }
  });
});
