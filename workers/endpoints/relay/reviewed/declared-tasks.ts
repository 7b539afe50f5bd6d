// At the client's edge of the relay: tells a client that its calls may run as tasks, where they may
// have to wait for a person.

import { objectOf, parseJson } from "../../../../shared/json/values.ts";
import { withCallTasks, withTaskSupport } from "../../../../shared/relay/declared-tasks.ts";
import { clientCapabilitiesKey } from "../../../../shared/wire/mcp-2026/stateless-request.ts";
import type { AppContext } from "../../app-context.ts";
import { changedAnswer } from "../changed-events.ts";
import { type RelayRequest, hasCallRules, sessionHeader } from "../relay-request.ts";
import { knownSession } from "../sessions/known-sessions.ts";
import type { PostedMessage } from "../sessions/session-relay.ts";
import { declaresTasks, withTasksDeclared } from "../stateless/call-tasks.ts";

/** The answer to a message, with what is declared of tasks. */
export async function declaringTasks(c: AppContext, relay: RelayRequest, { value }: PostedMessage, answer: Response): Promise<Response> {
  const declare = answer.ok && answer.body !== null ? await declarationIn(c, relay, value, answer) : null;
  if (declare === null) return answer;
  return changedAnswer(c, answer, {
    mayConcern: () => true,
    changed: (text) => (parseJson(text) === undefined ? undefined : declare(text)),
  });
}

/** Makes a message of the answer declare tasks; null where none are declared in it. */
async function declarationIn(
  c: AppContext,
  relay: RelayRequest,
  value: unknown,
  answer: Response,
): Promise<((text: string) => string) | null> {
  const { method, params } = objectOf(value) ?? {};
  switch (method) {
    case "initialize":
      return knownSession(c, relay, answer.headers.get(sessionHeader))?.callTasks === "gateway" ? withCallTasks : null;
    case "tools/list":
      return knownSession(c, relay)?.callTasks === "gateway" ? withTaskSupport : null;
    case "server/discover": {
      const capabilities = objectOf(objectOf(objectOf(params)?.["_meta"])?.[clientCapabilitiesKey]) ?? {};
      return declaresTasks(capabilities) && (await hasCallRules(c, relay)) ? withExtension : null;
    }
    default:
      return null;
  }
}

function withExtension(text: string): string {
  const message = objectOf(parseJson(text));
  const result = objectOf(message?.["result"]);
  return result === null ? text : JSON.stringify({ ...message, result: withTasksDeclared(result) });
}
