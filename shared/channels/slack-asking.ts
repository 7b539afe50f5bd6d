// The words of a Slack message or modal that depend on what is asked: an MCP server's sampling request, a client's own task, or
// a tool that is to run. Words only.

import { askingOf, askingWords } from "./asking.ts";
import { slackWords as words } from "./slack-words.ts";
import type { ReviewView } from "../review/view.ts";

type GateWords = Readonly<Record<Exclude<keyof (typeof words)["request"], "title">, string>>;

/** A tool's run is an action, and what it did is not undone by holding back its result. */
const run = {
  request: {
    lead: "Nothing has run yet. If you approve, this runs: it is an action, and not a question to a model.",
    approve: "Approve and run",
    exactly: "Approving runs exactly what is shown here, on the first server, and on the next only if that one fails.",
    exactlyOne: "Approving runs exactly what is shown here, on this server only.",
    content: "What would run",
    denyTitle: "Deny this run",
    editTitle: "Edit the arguments",
  },
  response: {
    lead: "It has run. Nothing has been delivered yet.",
    approve: "Approve and deliver",
    exactly: "Approving delivers exactly this result. What was run is behind Open; denying does not undo it.",
    exactlyOne: "Approving delivers exactly this result. What was run is behind Open; denying does not undo it.",
    content: "What would be delivered",
    denyTitle: "Deny this result",
    editTitle: "Edit this result",
  },
} as const satisfies Record<ReviewView["gate"], GateWords>;

export function slackGateWords(view: ReviewView): GateWords & { readonly title: string } {
  const asking = askingOf(view);
  const own: GateWords = asking === "function" ? run[view.gate] : words[view.gate];
  return { ...own, title: askingWords[asking].title[view.gate] };
}

/** Who hears of the reason of a "no". */
export function reasonWords(view: ReviewView): string {
  const { modal } = words;
  if (view.tellReason === undefined) return modal.reasonUnsaid;
  if (askingOf(view) !== "sampling") return view.tellReason ? modal.reasonToldClient : modal.reasonKeptClient;
  return view.tellReason ? modal.reasonTold : modal.reasonKept;
}

/** What submitting the fields of the edit modal does; `{version}` is the version's number. */
export function editLead(view: ReviewView): string {
  const { modal } = words;
  if (view.gate === "request") return askingOf(view) === "function" ? modal.editRun : modal.edit;
  return modal.editReply;
}
