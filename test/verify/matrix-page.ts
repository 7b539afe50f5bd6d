// results/relay-matrix.md: a row for each server, with what is not as in all the others.

import { type Case, cases } from "./matrix-servers.ts";

/** What came of each case, by the row: the server, the transport and the client's family. */
export type Seen = ReadonlyMap<string, Partial<Record<Case, string>>>;

/** The cases that did not end as they have to, each with the reason. */
const exceptionsOf = (results: Partial<Record<Case, string>>): string =>
  [...Map.groupBy(cases, (name) => results[name] ?? "not run")]
    .filter(([result]) => result !== "✓")
    .map(([result, names]) => `${names.join(", ")}: ${result}`)
    .join("; ");

export function matrixPage(seen: Seen, commit: string): string {
  const cells = [...seen].map(([row, results]) => {
    const [server = "", transport = "", client = ""] = row.split(" | ");
    return { server, transport, client, exceptions: exceptionsOf(results) };
  });
  const rows = [...Map.groupBy(cells, ({ server, exceptions }) => `${server} | ${exceptions}`)].map(([, own]) => {
    const clientsOver = (name: string): string =>
      own
        .filter(({ transport }) => transport === name)
        .map(({ client }) => client)
        .join(", ");
    return `| ${own[0]?.server} | ${clientsOver("HTTP")} | ${clientsOver("stdio")} | ${own[0]?.exceptions} |`;
  });
  return [
    "# Clients times servers",
    "",
    "Servers and frameworks with their default settings, and clients of 2025 and 2026 without sampling: over HTTP through the",
    "relay, over stdio behind `countersign stdio`. In each case the tool ended with the reply; if a person denied the request",
    "or nobody decided, it ended without one, and no model was asked. The last column has the exceptions. The cases:",
    `${cases.join(", ")}.`,
    "",
    `\`npm run verify\` writes this page (\`test/verify/matrix.test.ts\`); this one at commit ${commit}.`,
    "",
    "| server | HTTP | stdio | exceptions |",
    "|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}
