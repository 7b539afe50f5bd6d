// Kills of the gateway while it answers requests that nobody is asked about: fifty with the record
// written behind, and fifty with RECORD=before. Writes results/answered-kills.md. KILLS is another
// number, and KILLS_SEED repeats the load and the moments of a run.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { type AnsweredKills, endpoints, killWhileAnswering } from "../attack/kills/answered-kills.ts";

const kills = Number(process.env["KILLS"] ?? 50);
const seed = Number(process.env["KILLS_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const root = fileURLToPath(new URL("../..", import.meta.url));
const settings = ["behind", "before"] as const;
const results = new Map<(typeof settings)[number], AnsweredKills>();

afterAll(() => {
  if (results.size === settings.length) writeFileSync(`${root}test/verify/results/answered-kills.md`, report());
});

test.each(settings)("RECORD=%s: every answer has its line, or an end that is told as unknown", async (setting) => {
  console.log(`KILLS_SEED=${seed}`);
  const result = await killWhileAnswering({ kills, seed, load: 6, variables: { RECORD: setting } });
  results.set(setting, result);
  for (const [endpoint, { answered, lines, unknown, missing }] of result.byEndpoint)
    console.log(`${setting} ${endpoint}: ${answered} answered, ${lines} lines, ${unknown} unknown, ${missing.length} neither`);
  expect([seed, result.broken]).toEqual([seed, []]);
  for (const endpoint of endpoints) {
    const { answered, missing } = result.byEndpoint.get(endpoint) ?? { answered: 0, missing: [] };
    expect(answered).toBeGreaterThan(0);
    // No session knows of it: what `RECORD=before` is for.
    if (setting === "behind" && endpoint === "/v1") continue;
    expect([seed, endpoint, missing]).toEqual([seed, endpoint, []]);
  }
});

const git = (...given: string[]): string => execFileSync("git", given, { cwd: root, encoding: "utf8" }).trim();

function report(): string {
  const rows = settings.flatMap((setting) =>
    endpoints.map((endpoint) => {
      const { answered, lines, unknown, missing } = results.get(setting)?.byEndpoint.get(endpoint) ?? noneAnswered;
      return `| \`${setting}\` | ${endpoint === "relay" ? endpoint : `\`${endpoint}\``} | ${[answered, lines, unknown, missing.length].join(" | ")} |`;
    }),
  );
  return `# Kills of the gateway while it answers

The gateway is killed with \`kill -9\` at random moments while it answers requests that nobody is asked about, and
started again on the same data. Callers repeat a request until it is answered; those of \`/v1\` send no \`Idempotency-Key\`.
Then each answer is looked for in [the record](../../../docs/record.md#no-answer-without-a-line).

\`npm run verify\` (\`test/verify/answered-kills.test.ts\`) writes this page. The last run: commit
${git("rev-parse", "--short", "HEAD")}, ${new Date().toISOString().slice(0, 10)}, ${kills} kills for each setting of \`RECORD\`, \`KILLS_SEED=${seed}\`.

| \`RECORD\` | endpoint | answered | with a line | outcome unknown | with neither |
|---|---|---|---|---|---|
${rows.join("\n")}

- **Outcome unknown**: the gateway was killed between the answer and its line; the request's session told the record.
- **With neither**: nothing in the record tells of the answer.
`;
}

const noneAnswered = { answered: 0, lines: 0, unknown: 0, missing: [] } as const;
