// Every word is said somewhere: a sentence that nothing uses is kept true, and translated, for
// nobody.
//
// The compiler has no list of uses, so this reads the source. A member counts as used where one
// file outside the catalogues has its name and the name of what holds it, both as members and not
// in a comment; a name in quotes counts, because codes choose words. That may take a use for
// another of the same names, but never in silence for a new name; and a record that is indexed by a
// value of the review (`requestKind[facts.requestKind]`) is listed below, by its path. A catalogue
// of the console is used by its own page, and a record of it also where a page indexes it or hands
// it on.

import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { catalogues } from "../../../../shared/channels/words/words.ts";
import { type Said, consoleCatalogues } from "../../../support/catalogues.ts";

/**
 * Records whose member is chosen by a value: their own name has to be used. The types make their
 * members complete.
 */
const byValue = [
  ...[
    "kinds",
    "sure",
    "cancelled",
    "undeliverable",
    "ended",
    "reason",
    "riskLevels",
    "notice/left",
    "outside/unseen",
    "risk/credentialOf",
    "risk/invisible",
    "note/fields",
    "note/contextParts",
    "editFault",
    "fieldFault/notOfFormat",
    "fieldFault/types",
    "jsonFault",
  ].map((each) => `review/${each}`),
  ...[
    "signIn/problems",
    "connect/ends",
    "connect/problems",
    "list/filters",
    "passkeys/problems",
    "list/keys",
    "list/live",
    "list/gates",
    "done/outcomes",
    "logins/said",
    "list/sorts",
    "devices/sayings",
  ].map((each) => `inbox/${each}`),
  ...["decisions", "modes"].map((each) => `receipt/${each}`),
  ...["start", "ownStart"].map((each) => `excerpt/${each}`),
  ...["labels/roles", "hidden/kinds", "ended", "tell"].map((each) => `slack/${each}`),
  ...["answers", "clientGrant", "contexts", "known", "knownYou", "passkey/script", "toolChoices"].map((each) => `page/${each}`),
  ...["changes/sent", "decide/preview", "expiredLink/states", "expiredLink/problems", "plain/problems"].map((each) => `page/${each}`),
  ...["pieces/message", "call/kinds", "shortcuts/keys", "warnings/all", "warnings/some"].map((each) => `page/${each}`),
  ...["approve", "approveMore", "exact", "known", "risk", "replyRisk", "hoursOf", "given/undone"].map((each) => `page/grant/${each}`),
];

const root = new URL("../../../../", import.meta.url);

const files = ["shared", "workers", "scripts"]
  .flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => `${folder}/${path}`),
  )
  .filter(
    (path) => !/^shared\/channels\/words\/(?:en|zh)\/|^workers\/ui\/console\/.*-words\.ts$/.test(path) && !path.includes("node_modules"),
  )
  .map((path) => ({
    path,
    source: readFileSync(new URL(path, root), "utf8").replaceAll(/\/\*.*?\*\/|(?<![:"'`])\/\/[^\n]*/gs, ""),
  }));

/** Which files have a word, whatever it is there. */
const filesOf = new Map<string, Set<number>>();
for (const [i, { source }] of files.entries())
  for (const [word] of source.matchAll(/\w+/g)) filesOf.set(word, (filesOf.get(word) ?? new Set()).add(i));

const names = new Map<string, ReadonlySet<number>>();
/** The files that have this name as a member: `.name`, in a pattern, or as a key. */
function filesWith(name: string): ReadonlySet<number> {
  const known = names.get(name);
  if (known !== undefined) return known;
  const member = new RegExp(String.raw`(?:\.|[{,]\s*|\[")${name}\b(?!\()|\.${name}\(|[{,]\s*${name}\(|"${name}"`);
  // What is no word by itself (no name at all, a question mark) may be anywhere.
  const having = /^\w+$/.test(name) ? (filesOf.get(name) ?? []) : files.keys();
  const found = new Set([...having].filter((i) => member.test(files[i]?.source ?? "")));
  names.set(name, found);
  return found;
}

function unused(said: Said, path: readonly string[], indexed: ReadonlySet<string>): string[] {
  // Plurals are one word.
  if (typeof said !== "object" || "other" in said) {
    const [holder = "", name = ""] = path.slice(-2);
    const holders = filesWith(holder);
    return [...filesWith(name)].some((file) => holders.has(file)) ? [] : [path.join("/")];
  }
  if (indexed.has(path.join("/"))) return unused("", path, indexed);
  return Object.entries(said).flatMap(([name, each]) => unused(each, [...path, name], indexed));
}

describe.each(Object.entries(catalogues))("the catalogue in %s", (_language, all) => {
  const { numbers: _, ...words } = all;

  test("has no word that nothing uses", () => {
    expect(unused(words, [], new Set(byValue))).toEqual([]);
  });

  test("would have one in a section that exists, and in one of its own", () => {
    const more = {
      ...words,
      page: { ...words.page, forNobody: "x", strip: { ...words.page.strip, alsoForNobody: "y" } },
      nobodys: { word: "z" },
    };
    expect(unused(more, [], new Set(byValue))).toEqual(["page/strip/alsoForNobody", "page/forNobody", "nobodys/word"]);
  });
});

/** Handed to the toolkit of the console's forms, which takes each by its field's path. */
const byField = /^(?:fields|conditions|consequences)$/;

describe.each(Object.entries(consoleCatalogues))("the catalogue %s", (path, { en }) => {
  const [, folder = "", name = ""] = /^(.*\/)([^/]*)$/.exec(path) ?? [];
  const users = files.filter(
    (file) =>
      file.path.startsWith(`workers/ui/${folder}`) ||
      /\/console\/(?:entries-page|pieces|shell)\.tsx$/.test(file.path) ||
      file.source.includes(name),
  );
  const isNamed = (source: string, member: string): boolean =>
    member === "" || new RegExp(String.raw`(?:\.|[{,(]\s*|["\`])${member}\b`).test(source);
  const isHandedOn = (record: string): boolean =>
    byField.test(record) || users.some(({ source }) => new RegExp(String.raw`(?:\.|[{,:]\s*)${record}(?:\[|,|\)|\}|;)`).test(source));
  function unusedIn(said: Said, at: readonly string[]): string[] {
    const [holder = "", member = ""] = ["", "", ...at].slice(-2);
    if (typeof said === "string")
      return users.some(({ source }) => isNamed(source, member) && isNamed(source, holder)) ? [] : [at.join("/")];
    if (at.length > 0 && isHandedOn(member)) return [];
    return Object.entries(said).flatMap(([each, inside]) => unusedIn(inside, [...at, each]));
  }

  test("has no word that nothing uses", () => {
    expect(unusedIn(en, [])).toEqual([]);
  });

  test("would have one", () => {
    expect(unusedIn({ forNobody: "x", section: { alsoForNobody: "y" } }, [])).toEqual(["forNobody", "section/alsoForNobody"]);
  });
});
