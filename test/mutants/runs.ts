// A run's life: no model call and no delivery without its gates, and what is executed is what was approved.

import type { Mutant } from "./mutant.ts";

const lifecycle = { file: "shared/run/lifecycle.ts", test: { file: "test/shared/run/lifecycle.test.ts" } };
const leaving = "test/workers/objects/leaving.test.ts";

export const runMutants: readonly Mutant[] = [
  {
    ...lifecycle,
    name: "a closed request gate is asked about",
    from: 'return state.gates.request ? openReview(state, "request", state.requestDigest, now) : startCall(state, now, false);',
    to: "return startCall(state, now, false);",
  },
  {
    ...lifecycle,
    name: "a closed response gate is asked about",
    from: "gates.response || (isEdited && gates.responseIfEdited)",
    to: "(isEdited && gates.responseIfEdited)",
  },
  {
    ...lifecycle,
    name: "the reply to an edited request is looked at",
    from: "gates.response || (isEdited && gates.responseIfEdited)",
    to: "gates.response",
  },
  {
    ...lifecycle,
    name: "a reply's risk closes its gate",
    from: " || (gates.responseIfRisk !== null && isRiskAtLeast(risk, gates.responseIfRisk))",
    to: "",
  },
  {
    name: "a reply whose risk may close its gate is no fast one",
    file: "workers/pipeline/begin.ts",
    from: "response: isReplyAsked(gates, false, risk) };",
    to: "response: gates.response };",
    test: { file: "test/workers/contract/reply-risk.test.ts", only: "at the level reviewed" },
  },
  {
    name: "a reply from the cache is looked at by the rule that applies now",
    file: "workers/pipeline/begin.ts",
    from: 'found === undefined || gates.responseIfRisk === null ? "high" : highestRisk(findReplyRisks(found.reply))',
    to: 'found === undefined ? "high" : "none"',
    test: { file: "test/workers/contract/reply-risk.test.ts", only: "in the cache is asked about" },
  },
  {
    name: "a kept reply is looked at by the rule that applies now",
    file: "workers/objects/run.ts",
    from: "response: isReplyAsked(gates, isEdited(state), risk) };",
    to: "response: gates.response };",
    test: { file: "test/workers/contract/reply-risk.test.ts", only: "kept for an identical request goes to nobody" },
  },
  {
    name: "an identical request is one for the same tool",
    file: "shared/run/opening.ts",
    from: 'tool: boundTo === "tool" ? { method, name } : null, content',
    to: "content",
    test: { file: "test/workers/contract/kept-reply.test.ts", only: "for the same tool" },
  },
  {
    name: "an identical request is tied to its client request as surely",
    file: "shared/run/opening.ts",
    from: "{ server, provenance, tool: boundTo",
    to: "{ server, tool: boundTo",
    test: { file: "test/workers/contract/kept-reply.test.ts", only: "for the same tool" },
  },
  {
    ...lifecycle,
    name: "an answer of a call that was given up goes nowhere",
    from: 'state.phase === "generating" && state.call?.number === call',
    to: 'state.phase === "generating"',
  },
  {
    ...lifecycle,
    name: "a call whose phase is over goes nowhere",
    from: 'state.phase === "generating" && state.call?.number === call',
    to: "state.call?.number === call",
  },
  {
    ...lifecycle,
    name: "a deadline expires when it has come",
    from: "if (review === null || now < review.deadlineAt) return still(state);",
    to: "if (review === null) return still(state);",
  },
  {
    ...lifecycle,
    name: "calls are not made without end",
    from: "event.call < mostCalls && state.terms.once !== true",
    to: "state.terms.once !== true",
  },
  {
    ...lifecycle,
    name: "what runs once is not run again",
    from: "event.call < mostCalls && state.terms.once !== true",
    to: "event.call < mostCalls",
  },
  {
    ...lifecycle,
    name: "an ended run is not cancelled",
    from: 'if (state.phase === "ended") return still(state);\n  const gate',
    to: "const gate",
  },
  {
    ...lifecycle,
    name: "the state's digest follows the approved edit",
    from: 'requestDigest: review.gate === "request" ? review.digest : state.requestDigest,',
    to: "requestDigest: state.requestDigest,",
  },
  {
    ...lifecycle,
    name: "no gate stays open beyond its request's end",
    from: "deadlineAt: Math.min(now + deadlineSeconds * 1000, endsAt),",
    to: "deadlineAt: now + deadlineSeconds * 1000,",
  },
  {
    ...lifecycle,
    name: "nobody is undeliverable while somebody is asked",
    from: "if (review === null || !isAll) return still(state);",
    to: "if (review === null) return still(state);",
  },
  {
    name: "models can be put in order, never added",
    file: "shared/run/opening.ts",
    from: "ids.flatMap((id) => candidates.filter(({ model }) => model.id === id))",
    to: "[...candidates]",
    test: { file: "test/workers/contract/review-http.test.ts", only: "another model of the list can be" },
  },
  {
    name: "what an adopted run's gates showed is seen",
    file: "workers/objects/run.ts",
    from: 'if (state.end === null ? !asItIsNow : !seen("request") || !seen("response")) return "refused";',
    to: "",
    test: { file: leaving, only: "under a policy with other gates" },
  },
  {
    name: "what people saw counts where the same ones would be asked",
    file: "workers/objects/run.ts",
    from: 'if ((closed.request || closed.response) && deciders !== decidersDigest(opening.plan)) return "refused";',
    to: "",
    test: { file: "test/workers/contract/kept-reply.test.ts", only: "closed another gate|durable path" },
  },
  {
    name: "an asker who is there is not taken from",
    file: "workers/objects/run.ts",
    from: 'if (opening.mode === "wait" && this.#windows.callers() > 0) return "refused";',
    to: "",
    test: { file: leaving, only: "while the first one's caller is there" },
    survives: "the mark that the asker has gone, which the next check reads, is not there while a caller is",
  },
  {
    name: "an asker on the way back is not gone",
    file: "workers/objects/run.ts",
    from: 'if (state.end === null && !this.#store.isAskerGone()) return "refused";',
    to: "",
    test: { file: leaving, only: "just after a crash|at the very same time" },
  },
];
