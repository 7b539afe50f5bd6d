// The policy as sentences: a draft is written, replayed with last week's requests, and saved. The
// draft is in the page's form alone; each button posts all of it and gets the page with the draft
// as it is then.

import {
  type Draft,
  addRules,
  defaultIn,
  isEqual,
  moveRule,
  nameOf,
  newRule,
  removeRule,
  replaceDefault,
  replaceRule,
  rulesIn,
} from "../../../../shared/policy/draft.ts";
import { askLess } from "../../../../shared/record/ask-less.ts";
import { ruleFrom } from "../../../../shared/policy/rule-form.ts";
import { importVscodeSampling } from "../../../../shared/policy/vscode-sampling.ts";
import { addTallies } from "../../../../shared/record/replay-tally.ts";
import { paths } from "../../../platform/urls.ts";
import { saveDocument } from "../documents/save-document.ts";
import { valuesIn } from "../fields.tsx";
import type { ConsolePage, PageAnswer, Visit } from "../page.ts";
import { readTable } from "../routing/routing-api.ts";
import type { Imported } from "./import-card.tsx";
import { type PolicyView, PolicyBody } from "./policy-body.tsx";
import { policyScript } from "./policy-script.ts";
import {
  type CurrentPolicy,
  type EditedRule,
  type PolicyState,
  type Replay,
  editedByName,
  editedIn,
  noneRead,
  stateIn,
  stateOf,
} from "./policy-state.ts";
import { policyWords } from "./policy-words.ts";
import { ReplayCard } from "./replay-card.tsx";

/** A press of "Read more", where no script reads on. */
const pagesAtOnce = 3;

async function currentPolicy(visit: Visit): Promise<CurrentPolicy> {
  const document = await visit.api.read(paths.admin.policy);
  return { document, version: document.version };
}

type Outcome = Partial<Omit<PolicyView, "visit" | "state" | "current">> & { readonly status?: number };

const shown = (visit: Visit, current: CurrentPolicy, state: PolicyState, { status, ...outcome }: Outcome = {}): PageAnswer => ({
  kind: "page",
  title: policyWords[visit.language].title,
  ...(status === undefined ? {} : { status }),
  body: () => <PolicyBody {...{ visit, current, state, focus: null, imported: null, notes: [], failure: null, ...outcome }} />,
  script: policyScript,
});

async function showPolicy(visit: Visit): Promise<PageAnswer> {
  const current = await currentPolicy(visit);
  const asked = visit.query.get("less");
  if (asked !== null) return asking(visit, current, asked);
  const saved = visit.query.get("done") === "saved" ? (["saved"] as const) : [];
  const { query } = visit;
  const editing = query.has("rule") ? editedByName(query.get("rule"), current.document) : editedIn(query.get("edit"), current.document);
  return shown(visit, current, stateOf(current, editing), { notes: saved });
}

/** A rule drafted from one call, and what it would have done with those of the last days. */
async function asking(visit: Visit, current: CurrentPolicy, run: string): Promise<PageAnswer> {
  const record = await visit.api.find(paths.admin.runEvents, { id: run });
  const less = askLess(current.document, record?.events[0]?.fact);
  if (less === null) return shown(visit, current, stateOf(current), { notes: ["cannotAskLess"] });
  const state = stateOf({ ...current, document: less.draft }, less.at);
  return replaying(visit, current, { ...state, replay: noneRead(state.days) }, pagesAtOnce);
}

/** The draft with what the open fields say, and the position that was chosen. */
function withFields(visit: Visit, state: PolicyState): PolicyState {
  const { draft, editing } = state;
  if (editing === null) return state;
  const values = valuesIn(visit.form);
  if (editing === "default") return { ...state, draft: replaceDefault(draft, ruleFrom(defaultIn(draft), values, true)) };
  const rule = rulesIn(draft)[editing];
  if (rule === undefined) return state;
  const changed = replaceRule(draft, editing, ruleFrom(rule, values, false));
  const position = Number(visit.form.get("position"));
  const to = Number.isSafeInteger(position) && position >= 1 && position <= rulesIn(draft).length ? position - 1 : editing;
  return { ...state, draft: moveRule(changed, editing, to), editing: to };
}

/** Where a rule stands after another one was moved. */
function editedAfterMove(editing: EditedRule, from: number, to: number): EditedRule {
  if (typeof editing !== "number") return editing;
  if (editing === from) return to;
  if (from < editing && editing <= to) return editing - 1;
  return to <= editing && editing < from ? editing + 1 : editing;
}

async function act(visit: Visit): Promise<PageAnswer> {
  const current = await currentPolicy(visit);
  const sent = stateIn(visit);
  if (sent === null) return shown(visit, current, stateOf(current), { status: 422, notes: ["badDraft"] });
  const [verb = "", first = "", second = ""] = (visit.form.get("do") ?? "").split(":");
  if (verb === "go-on") return goOn(visit, current, withFields(visit, sent));
  // Whatever the draft was replayed with, it is another one now.
  const state = { ...withFields(visit, sent), replay: null };
  const show = (more: Partial<PolicyState>, outcome: Outcome = {}): PageAnswer => shown(visit, current, { ...state, ...more }, outcome);
  const move = (from: number, to: number): PageAnswer => {
    const isMoved = from >= 0 && to >= 0 && from < rulesIn(state.draft).length && to < rulesIn(state.draft).length;
    if (!isMoved) return show({});
    const focus = `${to < from ? "up" : "down"}:${to}`;
    return show({ draft: moveRule(state.draft, from, to), editing: editedAfterMove(state.editing, from, to) }, { focus });
  };
  switch (verb) {
    case "edit":
      return show({ editing: editedIn(first, state.draft) });
    case "add":
      return show({ draft: addRules(state.draft, [newRule(state.draft)]), editing: rulesIn(state.draft).length });
    case "remove":
      return show({ draft: removeRule(state.draft, Number(first)), editing: null });
    case "up":
      return move(Number(first), Number(first) - 1);
    case "down":
      return move(Number(first), Number(first) + 1);
    case "move":
      return move(Number(first), Number(second));
    case "apply":
      return show({ editing: null });
    case "import":
      return importing(visit, current, state, false);
    case "import-add":
      return importing(visit, current, state, true);
    case "replay":
      return replaying(visit, current, { ...state, replay: noneRead(state.days) }, 1);
    case "save":
    case "save-cutting":
      return save(visit, current, state, verb);
    default:
      return show({});
  }
}

/** The table's models, so that what VS Code calls a model is found in it. */
async function importing(visit: Visit, current: CurrentPolicy, state: PolicyState, isAdded: boolean): Promise<PageAnswer> {
  const { table } = await readTable(visit);
  const imported: Imported = importVscodeSampling(state.pasted, {
    models: table?.models ?? [],
    ruleNames: rulesIn(state.draft).map(nameOf),
  });
  if (!imported.ok) return shown(visit, current, state, { imported, status: 422 });
  if (!isAdded) return shown(visit, current, state, { imported });
  const rules = imported.value.flatMap((server) => server.rules.map((rule) => ({ ...rule })));
  const editing = typeof state.editing === "number" ? state.editing + rules.length : state.editing;
  return shown(visit, current, { ...state, draft: addRules(state.draft, rules, 0), editing, pasted: "" }, { notes: ["imported"] });
}

async function goOn(visit: Visit, current: CurrentPolicy, state: PolicyState): Promise<PageAnswer> {
  return replaying(visit, current, state, visit.form.get("part") === "replay" ? 1 : pagesAtOnce);
}

/**
 * Reads some pages more. The sum so far is the operator's own: it came out of this API, and is
 * shown to nobody else.
 */
async function replaying(visit: Visit, current: CurrentPolicy, state: PolicyState, pages: number): Promise<PageAnswer> {
  const start = state.replay ?? noneRead(state.days);
  let replay: Replay = start;
  for (let page = 0; page < pages && (page === 0 || replay.next !== null); page += 1) {
    const answer = await visit.api.send("POST", paths.admin.policyReplay, {
      body: { policy: state.draft, days: start.days, ...(replay.next === null ? {} : { next: replay.next }) },
    });
    if (!answer.ok) return shown(visit, current, { ...state, replay: null }, { failure: answer.error, status: 422 });
    const { total, read, sum, next } = answer.value;
    replay = { days: start.days, total, read: replay.read + read, sum: addTallies(replay.sum, sum), next };
  }
  const masksOtherwise = masksOther(state.draft, current.document);
  if (visit.form.get("part") !== "replay") return shown(visit, current, { ...state, replay });
  return { kind: "part", body: () => <ReplayCard visit={visit} replay={replay} days={state.days} masksOtherwise={masksOtherwise} /> };
}

const masksOther = (draft: Draft, current: Draft): boolean => !isEqual(draft["redaction"], current["redaction"]);

async function save(visit: Visit, current: CurrentPolicy, state: PolicyState, verb: "save" | "save-cutting"): Promise<PageAnswer> {
  const { version: _version, ...document } = state.draft;
  const to = (version: number): string => visit.at("policy", { done: "saved", version });
  const mayCutOff = verb === "save-cutting";
  const saved = await saveDocument(visit, { name: "policy", base: state.base, document, mayCutOff, to });
  return saved.ok ? saved.value : shown(visit, current, state, { failure: saved.error, status: 422 });
}

export const policyPage: ConsolePage = { path: "policy", get: showPolicy, post: act };
