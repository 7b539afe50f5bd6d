// Writes the paths of docs/http-contract.md, below its mark, as GET /openapi.json has them. Their
// methods, parameters and responses are only there, and so are the pages for browsers:
//
//   node scripts/http-contract.ts
//
// With --print it prints the whole document instead: a test compares.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const documentPath = fileURLToPath(new URL("../docs/http-contract.md", import.meta.url));
const mark = "<!-- From here on, change the routes and run: node scripts/http-contract.ts -->\n";

/** What is read of an operation of OpenAPI. */
type Operation = {
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, unknown>>[];
};
type Description = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };

/**
 * The Worker's routes run in Node. Its types are of another program, so the path is no literal.
 */
async function description(): Promise<Description> {
  const path = new URL("../workers/app.ts", import.meta.url).href;
  const { app } = (await import(path)) as { app: { request: (path: string) => Promise<Response> } };
  return (await (await app.request("/openapi.json")).json()) as Description; // made by openapi.ts
}

/** The lists, by the security schemes of their operations. */
const lists = new Map([
  ["key keyHeader", "An API key"],
  ["hook", "An API key of another program's hook"],
  ["key token keyHeader", "An API key or a token of an issuer"],
  ["v1", "An API key or a scoped token"],
  ["key keyHeader admin", "The run's API key, or the operator"],
  ["admin", "The operator"],
  ["metrics admin", "`METRICS_TOKEN` or the operator"],
  ["reviewer", "Slack's signature"],
  ["", "None"],
]);

/**
 * OpenAPI's schemes do not tell a scoped token from a key, nor know links and sessions. A hook
 * answers with 200 whatever happens, unlike all others.
 */
function listOf(path: string, { security, tags }: Operation): string {
  const schemes = security.flatMap((each) => Object.keys(each)).join(" ");
  if (path.startsWith("/v1/")) return "v1";
  if (path.startsWith("/hooks/")) return "hook";
  return schemes === "" && tags.includes("Reviews") ? "reviewer" : schemes;
}

/** A page for browsers, its form or what it listens to: no program calls these. */
const isOfPages = (path: string): boolean => /^\/(?:$|console|inbox|r\/)/.test(path);

const aDocument = /^(\/admin\/)(?:routing|policy|servers|issuers|budgets)(?=$|\/(?:schema|check|versions))/;

/** The paths, list by list. Those that differ only in their document are one. */
function pathsByList({ paths }: Description): Map<string, Set<string>> {
  const found = new Map([...lists.keys()].map((list) => [list, new Set<string>()]));
  for (const [path, operations] of Object.entries(paths)) {
    if (isOfPages(path)) continue;
    for (const operation of Object.values(operations)) {
      const list = found.get(listOf(path, operation));
      if (list === undefined) throw new Error(`no list has the operations for ${listOf(path, operation)}`);
      list.add(path.replace(aDocument, "$1{document}"));
    }
  }
  return found;
}

async function contractNow(): Promise<string> {
  const [written = ""] = readFileSync(documentPath, "utf8").replaceAll("\r\n", "\n").split(mark);
  const lines = [...pathsByList(await description())].map(
    ([list, paths]) => `- **${lists.get(list) ?? ""}**: ${[...paths].map((path) => `\`${path}\``).join(", ")}\n`,
  );
  return `${written}${mark}\n${lines.join("")}`;
}

if (process.argv.includes("--print")) process.stdout.write(await contractNow());
else writeFileSync(documentPath, await contractNow());
