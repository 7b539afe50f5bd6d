// The members that the official SDK's declarations name, read out of its `.d.ts` files: what is new
// in a newer SDK is found by a test.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Of a file of `openai/resources`: the members of each interface, by its name with its namespaces,
 * and the arms of each union of types.
 */
export type SdkTypes = {
  readonly members: ReadonlyMap<string, readonly string[]>;
  readonly unions: ReadonlyMap<string, readonly string[]>;
};

type Scope = { readonly kind: "namespace" | "interface" | "literal"; readonly name: string };

export function sdkTypes(path: string): SdkTypes {
  const file = fileURLToPath(import.meta.resolve(`openai/resources/${path}`)).replace(/\.m?js$/, ".d.ts");
  const text = readFileSync(file, "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, "");
  const members = new Map<string, string[]>();
  const unions = new Map<string, string[]>();
  const scopes: Scope[] = [];
  for (const line of text.split("\n")) {
    const opened = /^\s*(?:export )?(?:declare )?(namespace|interface) (\w+)[^{]*\{$/.exec(line);
    const [, kind, name = ""] = opened ?? [];
    if (kind === "namespace" || kind === "interface") {
      const path = [...scopes.map((scope) => scope.name), name].join(".");
      if (kind === "interface") members.set(path, []);
      scopes.push({ kind, name });
      continue;
    }
    const [, member] = /^\s*(\w+)\??:/.exec(line) ?? [];
    if (member !== undefined && scopes.at(-1)?.kind === "interface") members.get(scopes.map((scope) => scope.name).join("."))?.push(member);
    const [, alias, arms] = /^export type (\w+) = ([^;{]+);$/.exec(line) ?? [];
    if (alias !== undefined && arms !== undefined) unions.set(alias, arms.split(" | "));
    if (/^\s*\}/.test(line)) scopes.pop();
    else if (line.endsWith("{")) scopes.push({ kind: "literal", name: "" });
  }
  return { members, unions };
}
