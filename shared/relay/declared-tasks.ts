// What a client of a session is told of tasks where its server has none of its own and the gateway
// runs its calls as tasks: the capability in the answer to `initialize`, and each tool of
// `tools/list`. Everything else keeps its bytes. Source: 2025-11-25, basic/utilities/tasks.

import { fromUtf8, type JsonObject, utf8ToBytes } from "../encoding.ts";
import { edited, elementsOf, memberIn, textAt, withMembers } from "../json/spans.ts";
import { objectOf, parseJson } from "../json/values.ts";

/** Whether a server with these capabilities runs calls of its tools as tasks. */
export const runsCallTasks = (capabilities: JsonObject | null): boolean =>
  objectOf(objectOf(requestsIn(objectOf(capabilities?.["tasks"]))?.["tools"])?.["call"]) !== null;

const requestsIn = (tasks: JsonObject | null): JsonObject | null => objectOf(tasks?.["requests"]);

/** The answer to `initialize` with the gateway's tasks among the server's capabilities. */
export function withCallTasks(text: string): string {
  const bytes = utf8ToBytes(text);
  const [result, capabilities] = [memberIn(bytes, "result"), memberIn(bytes, "result", "capabilities")];
  if (result === undefined) return text;
  const tasks = capabilities === undefined ? null : objectOf(objectOf(parseJson(textAt(bytes, capabilities)))?.["tasks"]);
  const requests = requestsIn(tasks);
  const declared = {
    ...tasks,
    list: {},
    cancel: {},
    requests: { ...requests, tools: { ...objectOf(requests?.["tools"]), call: {} } },
  };
  const edits =
    capabilities === undefined
      ? withMembers(bytes, result, { capabilities: { tasks: declared } })
      : withMembers(bytes, capabilities, { tasks: declared });
  return fromUtf8(edited(bytes, edits));
}

/** A list of tools, each of which may be called as a task. */
export function withTaskSupport(text: string): string {
  const bytes = utf8ToBytes(text);
  const tools = memberIn(bytes, "result", "tools");
  if (tools === undefined) return text;
  const edits = elementsOf(bytes, tools).flatMap((tool) => {
    const value = objectOf(parseJson(textAt(bytes, tool)));
    return value === null ? [] : withMembers(bytes, tool, { execution: { ...objectOf(value["execution"]), taskSupport: "optional" } });
  });
  return fromUtf8(edited(bytes, edits));
}
