// A rule drafted from one call that people were asked about: it lets calls of the same tool, at the
// same server and by the same key, pass without asking before them. A draft alone: an operator sees
// what it would have done with past calls, narrows it, and saves it.

import type { JsonObject } from "../encoding.ts";
import { objectOf } from "../json/values.ts";
import type { RecordFact } from "./record.ts";
import { type Draft, addRules, nameOf, rulesIn } from "../policy/draft.ts";

/** A draft, and where its new rule stands, from 0. */
type AskingLess = { readonly draft: Draft; readonly at: number };

/**
 * The draft with the rule, before the one that asked: rules that stand before that, such as those
 * that refuse, keep the first word, and the result is treated as it was. Null where nobody was
 * asked about a call, where that rule is no longer in the draft, or where a name would match others
 * too.
 * @param received The first event of the call's record.
 */
export function askLess(draft: Draft, received: RecordFact | undefined): AskingLess | null {
  if (received?.kind !== "received" || received.judged.subject !== "toolCall" || received.requestGate === "allow") return null;
  const { server, name: tool, rule, judged } = received;
  const rules = rulesIn(draft);
  const at = rules.findIndex((each) => nameOf(each) === rule);
  const asked = rules[at];
  if (asked === undefined || [server, tool, judged.keyName].some((each) => each.includes("*"))) return null;
  const { shadow: _shadow, ...then } = objectOf(asked["then"]) ?? {};
  const when: JsonObject = {
    subject: "toolCall",
    server,
    tool,
    key: judged.keyName,
    // A tool that is defined otherwise by then is another one.
    ...(judged.call?.definitionChanged === false ? { definitionChanged: false } : {}),
  };
  return { draft: addRules(draft, [{ name: freeName(rules, `${tool} passes`), when, then: { ...then, request: "allow" } }], at), at };
}

function freeName(rules: readonly JsonObject[], wanted: string): string {
  const names = new Set(rules.map(nameOf));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted} ${number}`;
    if (!names.has(name)) return name;
  }
}
