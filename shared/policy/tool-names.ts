// Which tools of an MCP server clients may see and call: globs, of an entry of the servers document
// of a key, and of `countersign stdio`.

import { matchesGlob } from "./glob.ts";

/** Globs. Without `allow`, every tool that is not denied is allowed. */
export type ToolNames = { readonly allow?: readonly string[] | undefined; readonly deny?: readonly string[] | undefined };

/**
 * A name as the most lenient of servers reads it: one that folds case runs `delete_branch` where it
 * is asked for `Delete_Branch`, so that a denied name is compared in this form.
 */
const folded = (text: string): string =>
  text
    .normalize("NFKC")
    .replaceAll(/[\p{Default_Ignorable_Code_Point}\s]/gu, "")
    .toLowerCase();

function allows({ allow, deny = [] }: ToolNames, nameFor: (glob: string) => string): boolean {
  if (deny.some((glob) => matchesGlob(folded(glob), folded(nameFor(glob))))) return false;
  return allow === undefined || allow.some((glob) => matchesGlob(glob, nameFor(glob)));
}

/** Whether clients of an entry with these names may see and call a tool of its server. */
export const entryAllows = (names: ToolNames, tool: string): boolean => allows(names, () => tool);

/**
 * Whether a key with these names may see and call a tool. A glob with a slash is of `server/tool`:
 * a tool that its own server named `other/read` is not taken for one of another server.
 */
export const keyAllows = (names: ToolNames, { server, tool }: { readonly server: string; readonly tool: string }): boolean =>
  allows(names, (glob) => (glob.includes("/") ? `${server}/${tool}` : tool));
