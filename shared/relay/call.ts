// The life of a client's request whose server asks for input, as a pure function: state and event
// give the next state and its effects, as values.
//
// No content: questions and answers are known by their keys. A host (CallObject, BridgeObject, the
// stdio command) keeps the texts. It takes a step, commits the state together with the text of the
// event, and only then performs the effects: after a crash no round is sent a second time. An
// answer that goes into a session may be.

import { type RequestId, type RpcAnswer, idKey } from "../wire/json-rpc.ts";
import { samplingMethod } from "./messages.ts";
import type { InputMethod } from "./rounds.ts";

/**
 * How the server asks. `rounds` (2026-07-28): it answers the request with what it wants to know,
 * and gets all answers with the request's next attempt. `session` (the 2025 family): it goes on
 * working, asks by requests of its own, and gets each answer by itself.
 */
type ServerFamily = "rounds" | "session";

export type CallTerms = {
  readonly server: ServerFamily;
  /** How many rounds, or questions in a session, there may be. */
  readonly mostAsked: number;
  /** What the gateway answers, in the client's place. */
  readonly ours: readonly InputMethod[];
};

export type Answerer = "client" | "gateway";

export type Question = {
  /** Unique among the questions of its round, or of its session's call. */
  readonly key: string;
  readonly method: InputMethod;
  readonly by: Answerer;
  readonly isAnswered: boolean;
  /** The id of the server's request in a session; null in a round. */
  readonly request: RequestId | null;
};

/**
 * `answered`: the server gave its last word. `refused`: a question has no answer, or may not be
 * asked. `lost`: nobody knows what became of the request.
 */
type CallEnd = "answered" | "refused" | "tooManyRounds" | "cancelled" | "lost";

export type CallState = {
  readonly terms: CallTerms;
  /** How many rounds there were, or questions in a session. */
  readonly asked: number;
  /** What the server waits for: of the current round, or not yet delivered in its session. */
  readonly questions: readonly Question[];
  /** False while a round waits for its answers: the server then has nothing to do for it. */
  readonly isAtServer: boolean;
  readonly end: CallEnd | null;
};

type AskedQuestion = Pick<Question, "key" | "method"> & { readonly request?: RequestId };

/** `round`: as `asked` said at the time. An event of another round says nothing about this one. */
export type CallEvent =
  | { readonly kind: "asked"; readonly questions: readonly AskedQuestion[] }
  | { readonly kind: "answered"; readonly round?: number; readonly key: string; readonly by: Answerer }
  /** The client answered sampling with an error after which the gateway may answer in its place. */
  | { readonly kind: "declined"; readonly round: number; readonly key: string }
  /** The client waits for the call, so that a round with all its answers may go to the server. */
  | { readonly kind: "proceeded"; readonly round: number }
  /** The server has this answer. */
  | { readonly kind: "delivered"; readonly key: string }
  /** The server no longer asks this. */
  | { readonly kind: "withdrawn"; readonly key: string }
  /** The server refused a round's answers before it did anything with them. */
  | { readonly kind: "unsent" }
  /** The server's last word. */
  | { readonly kind: "responded" }
  | { readonly kind: "refused"; readonly round: number }
  | { readonly kind: "cancelled" }
  /** Whoever waited for the server's answer is gone, and the answer with it. */
  | { readonly kind: "lost" };

export type CallEffect =
  /** These are new to whoever answers them. None: the server only wants to be asked again. */
  | { readonly kind: "ask"; readonly questions: readonly Question[] }
  /** Send the request again, with every answer of the round. */
  | { readonly kind: "send" }
  /** Send this answer into the session. */
  | { readonly kind: "deliver"; readonly key: string }
  /** Nobody need answer these any more. */
  | { readonly kind: "withdraw"; readonly questions: readonly Question[] }
  /** Tell the server that its answer is no longer wanted. */
  | { readonly kind: "stop" }
  | { readonly kind: "finish"; readonly end: CallEnd };

type CallStep = { readonly state: CallState; readonly effects: readonly CallEffect[] };

/** A call whose request has gone to the server. */
export const newCall = (terms: CallTerms): CallState => ({ terms, asked: 0, questions: [], isAtServer: true, end: null });

/**
 * One step of a call's life. An event that no longer applies gives back the very same state, and no
 * effects, because every event may come late or twice.
 */
export function step(state: CallState, event: CallEvent): CallStep {
  if (state.end !== null) return still(state);
  const isSession = state.terms.server === "session";
  switch (event.kind) {
    case "asked":
      return asked(state, event.questions);
    case "answered": {
      const question = openQuestion(state, event);
      if (question?.by !== event.by) return still(state);
      const effects: CallEffect[] = isSession ? [{ kind: "deliver", key: question.key }] : [];
      return { state: withQuestion(state, { ...question, isAnswered: true }), effects };
    }
    case "declined": {
      const question = openQuestion(state, event);
      if (question?.by !== "client" || question.method !== samplingMethod) return still(state);
      const ours: Question = { ...question, by: "gateway" };
      return { state: withQuestion(state, ours), effects: [{ kind: "ask", questions: [ours] }] };
    }
    case "proceeded": {
      const isReady = !state.isAtServer && event.round === state.asked && openQuestions(state).length === 0;
      return isReady ? { state: { ...state, isAtServer: true }, effects: [{ kind: "send" }] } : still(state);
    }
    case "delivered":
      return without(state, ({ key, isAnswered }) => isSession && isAnswered && key === event.key);
    case "withdrawn": {
      const question = isSession ? openQuestion(state, event) : undefined;
      if (question === undefined) return still(state);
      return { ...without(state, (each) => each === question), effects: [{ kind: "withdraw", questions: [question] }] };
    }
    case "unsent":
      return !isSession && state.isAtServer && state.asked > 0 ? { state: { ...state, isAtServer: false }, effects: [] } : still(state);
    case "responded":
      return state.isAtServer ? finish(state, "answered") : still(state);
    case "refused":
      return !state.isAtServer && event.round === state.asked ? finish(state, "refused") : still(state);
    case "cancelled":
      return finish(state, "cancelled");
    case "lost":
      return state.isAtServer ? finish(state, "lost") : still(state);
    default:
      return event satisfies never;
  }
}

function asked(state: CallState, questions: readonly AskedQuestion[]): CallStep {
  const { terms } = state;
  const isFull = state.asked >= terms.mostAsked;
  const asks = questions.map(({ key, method, request = null }): Question => {
    const by = terms.ours.includes(method) ? "gateway" : "client";
    return { key, method, by, isAnswered: false, request };
  });
  if (terms.server === "session") {
    // The server may ask again after a broken stream. One question too many is refused by itself.
    const fresh = isFull ? [] : asks.filter(({ request }) => request !== null && !knows(state, request));
    if (fresh.length === 0) return still(state);
    const next = { ...state, asked: state.asked + fresh.length, questions: [...state.questions, ...fresh] };
    return { state: next, effects: [{ kind: "ask", questions: fresh }] };
  }
  if (!state.isAtServer) return still(state);
  if (isFull) return finish(state, "tooManyRounds");
  const next = { ...state, asked: state.asked + 1, questions: asks, isAtServer: false };
  return { state: next, effects: [{ kind: "ask", questions: asks }] };
}

/** Whether a request of the server in its session is a question of this call already. */
export const knows = ({ questions }: CallState, request: RequestId): boolean =>
  questions.some((each) => each.request !== null && idKey(each.request) === idKey(request));

/** What nobody has answered yet. */
export const openQuestions = ({ questions }: CallState): readonly Question[] => questions.filter(({ isAnswered }) => !isAnswered);

/** What waits for this side. */
export const openFor = (state: CallState, by: Answerer): readonly Question[] => openQuestions(state).filter((each) => each.by === by);

/** The end of a call whose server asks in more rounds than it may. */
export const tooManyRounds = ({ mostAsked }: Pick<CallTerms, "mostAsked">): RpcAnswer => ({
  error: { code: -32_603, message: `The MCP server asked for input in more than ${mostAsked} rounds` },
});

const still = (state: CallState): CallStep => ({ state, effects: [] });

/** While the server has a round's answers, none of them changes any more. */
function openQuestion(state: CallState, { round, key }: { readonly round?: number; readonly key: string }): Question | undefined {
  const isOpen = state.terms.server === "session" || (!state.isAtServer && round === state.asked);
  return isOpen ? openQuestions(state).find((each) => each.key === key) : undefined;
}

const withQuestion = (state: CallState, question: Question): CallState => ({
  ...state,
  questions: state.questions.map((each) => (each.key === question.key ? question : each)),
});

function without(state: CallState, isGone: (question: Question) => boolean): CallStep {
  const questions = state.questions.filter((each) => !isGone(each));
  return questions.length === state.questions.length ? still(state) : { state: { ...state, questions }, effects: [] };
}

function finish(state: CallState, end: CallEnd): CallStep {
  const open = openQuestions(state);
  return {
    state: { ...state, questions: [], isAtServer: false, end },
    effects: [
      ...(open.length === 0 ? [] : [{ kind: "withdraw", questions: open } as const]),
      ...(end === "cancelled" && state.isAtServer ? [{ kind: "stop" } as const] : []),
      { kind: "finish", end },
    ],
  };
}
