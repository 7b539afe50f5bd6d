// The example MCP server behind the relay of npm start, at /mcp/notes, and the rule that asks a
// person before it destroys anything.

import { listen } from "../examples/leaving-sampling/serve.ts";
import { notesServer } from "../examples/notes-server.ts";
import type { Operator } from "./operator.ts";

export const exampleName = "notes";

/**
 * For the policy of a new store. The development key has no owner, so the local reviewer may decide
 * its calls.
 */
export const exampleRule = {
  name: "the example deletes",
  when: { subject: "toolCall", server: exampleName, annotations: { destructive: true } },
  then: { request: "review", response: "allow", selfApproval: true, tellReason: true },
};

/**
 * Serves the example at the port of its entry in the servers document, or at another that is free,
 * and writes the entry. Where the operator has removed or changed it, serves nothing and returns
 * false.
 */
export async function serveExample(operator: Operator): Promise<boolean> {
  const read = await operator.servers();
  const before = read.servers[exampleName]?.url;
  const port = read.version === 0 ? "0" : /^http:\/\/127\.0\.0\.1:(\d+)\/mcp$/.exec(before ?? "")?.[1];
  if (port === undefined) return false;
  const url = await listen(notesServer, Number(port)).catch(() => listen(notesServer, 0));
  if (url !== before) await operator.putServer(read, exampleName, { url, allowPrivate: true, trustAnnotations: true });
  return true;
}
