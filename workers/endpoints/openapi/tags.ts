// The parts of the description: every operation is in the one that the beginning of its path says.

type Tag = { readonly name: string; readonly description: string; readonly paths: readonly string[] };

/** In the order in which a reader meets them. */
const tags: readonly Tag[] = [
  { name: "Sampling", description: "For hosts: requests of MCP servers, and their runs", paths: ["sampling", "sessions", "runs"] },
  { name: "Model Control Protocol", description: "For callers that send its envelope", paths: ["control"] },
  { name: "OpenAI's API", description: "For OpenAI's SDKs, and the tokens that servers get for it", paths: ["v1", "tokens"] },
  { name: "Approvals", description: "For whoever calls a tool elsewhere: people's decision before", paths: ["approvals", "hooks"] },
  { name: "Receipts", description: "For whoever checks what was decided", paths: ["receipts"] },
  { name: "MCP relay", description: "For clients without sampling, in place of their server", paths: ["mcp", "oauth", ".well-known"] },
  { name: "Reviews", description: "For reviewers: pages, and what they send", paths: ["r", "inbox", "slack"] },
  { name: "Operation", description: "For the operator", paths: ["", "admin", "console", "metrics", "record"] },
  { name: "Gateway", description: "For everybody", paths: ["healthz", "openapi", "openapi.json"] },
];

/** The name of the path's tag. Throws for a path that no tag has. */
export function tagOf(path: string): string {
  const first = path.split("/")[1] ?? "";
  const tag = tags.find(({ paths }) => paths.includes(first));
  if (tag === undefined) throw new Error(`no tag of the description has /${first}: add it in tags.ts`);
  return tag.name;
}

export const tagList = tags.map(({ name, description }) => ({ name, description }));
