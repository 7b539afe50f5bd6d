// VS Code's setting `chat.mcp.serverSampling` as rules of the policy: which MCP servers may ask
// which models, during a chat and outside of one.
//
// Its shape is in VS Code's settings schema (microsoft/vscode,
// src/vs/workbench/contrib/chat/browser/chat.contribution.ts), what it does in McpSamplingService
// (src/vs/workbench/contrib/mcp/common/mcpSamplingService.ts):
// - A member is named `LABEL: SERVER`; the label says where the server is configured.
// - `allowedDuringChat` is for requests during a tool call, `allowedOutsideChat` for all others:
//   true allows without asking, false refuses, absent asks. (The schema says that the first is true
//   by default; the service asks.)
// - `allowedModels`: only these answer; absent: the default model.

import type { Json, JsonObject } from "../encoding.ts";
import { parseJson } from "../json/values.ts";
import { type Result, err, ok } from "../result.ts";

const vscodeSetting = "chat.mcp.serverSampling";

/** A rule as a document has it. */
type ImportedRule = { readonly name: string; readonly when: JsonObject; readonly then: JsonObject };

/** What a server's entry says, and the rules do not. */
export type NotCarried =
  /** It is no object. */
  | { readonly kind: "unreadable" }
  | { readonly kind: "unknownMember"; readonly member: string }
  /**
   * A rule's `*` matches any characters, so a name with one cannot be written; nor can one of more
   * than 256 characters.
   */
  | { readonly kind: "badName" }
  /** An entry of the same server's name came before it. */
  | { readonly kind: "sameServer" }
  /** No model of the routing table has this name. */
  | { readonly kind: "noSuchModel"; readonly model: string }
  /** So its rules ask people, as VS Code would ask. */
  | { readonly kind: "noModelLeft" }
  /** Where the server is configured. */
  | { readonly kind: "place"; readonly label: string }
  /** A request that serves no client request is refused before any rule. */
  | { readonly kind: "outside" }
  /** Nothing is said, so VS Code asks, and the policy's other rules apply. */
  | { readonly kind: "nothingSaid" };

export type ImportedServer = {
  readonly key: string;
  readonly server: string;
  readonly rules: readonly ImportedRule[];
  readonly notCarried: readonly NotCarried[];
};

type KnownModel = { readonly id: string; readonly name: string };
type ExistingNames = {
  /** Of the routing table. */
  readonly models: readonly KnownModel[];
  /** The names that the policy's rules have. */
  readonly ruleNames: readonly string[];
};

/**
 * Reads a whole `settings.json` (comments and trailing commas allowed), the setting with its name,
 * or its value alone.
 * @returns Its servers in order, each with its rules; `notJson`, or `noServers` where there is no
 *   such setting in it.
 */
export function importVscodeSampling(text: string, known: ExistingNames): Result<readonly ImportedServer[], "notJson" | "noServers"> {
  const read = parsed(text) ?? parsed(`{${text}}`);
  if (read === undefined) return err("notJson");
  const setting = settingIn(read);
  if (setting === null || Object.keys(setting).length === 0) return err("noServers");
  const names = new Set(known.ruleNames);
  const servers = new Set<string>();
  return ok(
    Object.entries(setting).map(([key, entry]) => {
      const { label, server } = namesIn(key);
      const place: NotCarried[] = label === null ? [] : [{ kind: "place", label }];
      const without = (why: NotCarried): ImportedServer => ({ key, server, rules: [], notCarried: [why] });
      if (!isObject(entry)) return without({ kind: "unreadable" });
      if (server.includes("*") || server.length > longestServer) return without({ kind: "badName" });
      if (servers.has(server)) return without({ kind: "sameServer" });
      servers.add(server);
      const { rules, notCarried } = rulesOf(server, entry, known.models);
      return {
        key,
        server,
        rules: rules.map((rule) => ({ ...rule, name: freeName(rule.name, names) })),
        notCarried: [...notCarried, ...place],
      };
    }),
  );
}

const isObject = (value: Json | undefined): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The setting itself, in whatever it stands: settings.json, or a workspace file with `settings`.
 */
function settingIn(read: Json): JsonObject | null {
  if (!isObject(read)) return null;
  const inside = isObject(read["settings"]) ? read["settings"] : read;
  const setting = inside[vscodeSetting];
  if (setting !== undefined) return isObject(setting) ? setting : null;
  // The value alone: its members are servers.
  const isServers = Object.entries(read).every(
    ([key, value]) => key.includes(": ") || (isObject(value) && members.some((name) => name in value)),
  );
  return isServers ? read : null;
}

/** `Global in Code: notes`, or `folder/.vscode/mcp.json: notes`. */
function namesIn(key: string): { readonly label: string | null; readonly server: string } {
  const at = key.indexOf(": ");
  return at === -1 ? { label: null, server: key } : { label: key.slice(0, at), server: key.slice(at + 2) };
}

const members = ["allowedDuringChat", "allowedOutsideChat", "allowedModels"];

type Answer = "allow" | "refuse" | "ask";
const answerOf = (value: Json | undefined): Answer => (value === true ? "allow" : value === false ? "refuse" : "ask");

const thens: Readonly<Record<Answer, JsonObject>> = {
  allow: { request: "allow", response: "allow" },
  refuse: { request: "refuse" },
  // Both gates, by a rule's careful values.
  ask: {},
};

function rulesOf(server: string, entry: JsonObject, known: readonly KnownModel[]): Pick<ImportedServer, "rules" | "notCarried"> {
  const notCarried: NotCarried[] = Object.keys(entry).flatMap((member) =>
    members.includes(member) ? [] : [{ kind: "unknownMember", member }],
  );
  const listed = entry["allowedModels"];
  const during = answerOf(entry["allowedDuringChat"]);
  const outside = answerOf(entry["allowedOutsideChat"]);
  if (outside === "allow") notCarried.push({ kind: "outside" });
  if (during === "ask" && outside === "ask" && listed === undefined)
    return { rules: [], notCarried: [...notCarried, { kind: "nothingSaid" }] };
  const wanted = Array.isArray(listed) ? listed.filter((model) => typeof model === "string") : null;
  const models = wanted === null ? null : modelsFor(wanted, known, notCarried);
  const isWithoutModel = models !== null && models.length === 0;
  if (isWithoutModel) notCarried.push({ kind: "noModelLeft" });
  const inTool = { when: { server, method: "tools/call" }, name: `VS Code: ${server}, tool calls` };
  const rest = { when: { server }, name: during === outside ? `VS Code: ${server}` : `VS Code: ${server}, other` };
  const parts =
    during === outside
      ? [{ ...rest, answer: during }]
      : [
          { ...inTool, answer: during },
          { ...rest, answer: outside },
        ];
  const rules = parts.flatMap(({ when, name, answer }): ImportedRule[] => {
    if (answer === "refuse" || models === null) return [{ name, when, then: thens[answer] }];
    if (isWithoutModel) return [{ name, when, then: thens.ask }];
    // Another model is not used: it would have been refused there.
    const others: ImportedRule = { name: `${name}, other models`, when, then: thens.refuse };
    return [...models.map((model) => ({ name: `${name}, ${model}`, when: { ...when, model }, then: thens[answer] })), others];
  });
  return { rules, notCarried };
}

/**
 * `copilot/gpt-4.1` is a model of the routing table whose id, or whose name at its provider, is so
 * or ends so.
 */
function modelsFor(wanted: readonly string[], known: readonly KnownModel[], notCarried: NotCarried[]): readonly string[] {
  const found = wanted.flatMap((model) => {
    const ids = known
      .filter(({ id, name }) => !id.includes("*") && [id, name].some((each) => tailOf(each) === tailOf(model)))
      .map(({ id }) => id);
    if (ids.length === 0) notCarried.push({ kind: "noSuchModel", model });
    return ids;
  });
  return [...new Set(found)];
}

const tailOf = (model: string): string => model.slice(model.lastIndexOf("/") + 1).toLowerCase();

const longestServer = 256;
const longestName = 80;

/** A name that no other rule has, and that a policy takes. */
function freeName(wanted: string, taken: Set<string>): string {
  const clean = wanted.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, "").trim();
  for (let number = 1; ; number += 1) {
    const end = number === 1 ? "" : ` ${number}`;
    const name = `${[...clean]
      .slice(0, longestName - 10)
      .join("")
      .slice(0, longestName - end.length)
      .trim()}${end}`;
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
}

/**
 * Without comments and trailing commas, as VS Code's settings may have them (jsonc). What stands in
 * strings stays.
 */
function parsed(text: string): Json | undefined {
  const plain = text
    .replaceAll(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g, (part) => (part.startsWith("/") ? " " : part))
    .replaceAll(/"(?:[^"\\]|\\.)*"|,(?=\s*[\]}])/g, (part) => (part === "," ? "" : part));
  return parseJson(plain) as Json | undefined;
}
