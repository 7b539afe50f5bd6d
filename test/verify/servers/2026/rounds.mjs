// The tools of each of these servers, as rounds of input of revision 2026-07-28: what differs is
// only how a framework hands a round over.
import { inputRequired, inputResponse } from "@modelcontextprotocol/server";

const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const weather = {
  name: "weather",
  description: "The weather of a city",
  inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

const user = (content) => ({ role: "user", content });
const text = (said) => ({ type: "text", text: said });
const sampling = (question, more = {}) => inputRequired.createMessage({ messages: [user(text(question))], maxTokens: 100, ...more });
export const said = (answer) => ({ content: [text(answer)] });
const contentOf = (responses, key) => {
  const reply = inputResponse(responses, key);
  return reply.kind === "sampling" ? [reply.result.content].flat() : undefined;
};
const replyOf = (responses, key = "reply") =>
  contentOf(responses, key)
    ?.map((block) => block.text ?? JSON.stringify(block))
    .join("");

function loop(question, responses, { round = 0, messages = [user(text(question))] } = {}) {
  const content = contentOf(responses, "reply");
  const uses = content?.filter(({ type }) => type === "tool_use") ?? [];
  if (content !== undefined && uses.length === 0) return said(JSON.stringify({ round, content }));
  const results = uses.map(({ id }) => ({ type: "tool_result", toolUseId: id, content: [text("Sunny")] }));
  const next = content === undefined ? messages : [...messages, { role: "assistant", content }, user(results)];
  return inputRequired({
    inputRequests: { reply: sampling(question, { messages: next, tools: [weather], maxTokens: 200 }) },
    requestState: JSON.stringify({ round: round + 1, messages: next }),
  });
}

function five(question, responses, { replies = [] } = {}) {
  const reply = replyOf(responses);
  const all = reply === undefined ? replies : [...replies, reply];
  if (all.length === 5) return said(JSON.stringify(all));
  return inputRequired({
    inputRequests: { reply: sampling(`${question} (round ${all.length + 1})`) },
    requestState: JSON.stringify({ replies: all }),
  });
}

function two(question, responses) {
  const both = [replyOf(responses, "first"), replyOf(responses, "second")];
  if (!both.includes(undefined)) return said(JSON.stringify(both));
  return inputRequired({ inputRequests: { first: sampling(`${question} (first)`), second: sampling(`${question} (second)`) } });
}

function elicit(question, responses) {
  const [reply, form] = [replyOf(responses), inputResponse(responses, "confirm")];
  if (reply !== undefined && form.kind === "elicit") return said(JSON.stringify({ reply, action: form.action, content: form.content }));
  const requestedSchema = { type: "object", properties: { confirm: { type: "boolean" } } };
  const confirm = inputRequired.elicit({ message: "Is the question right?", requestedSchema });
  return inputRequired({ inputRequests: { reply: sampling(question), confirm } });
}

const once = (question, responses, content) => {
  const reply = replyOf(responses);
  return reply === undefined ? inputRequired({ inputRequests: { reply: sampling(question, { messages: [user(content)] }) } }) : said(reply);
};

/**
 * By name: from the question, the client's responses and the state of the round before, to a
 * result.
 */
export const tools = {
  ask: (question, responses) => once(question, responses, text(question)),
  "ask-image": (question, responses) =>
    once(question, responses, [text(question), { type: "image", data: onePixel, mimeType: "image/png" }]),
  "ask-tools": (question, responses, state) => loop(question, responses, read(state)),
  "ask-two": two,
  "ask-five": (question, responses, state) => five(question, responses, read(state)),
  "ask-and-elicit": elicit,
};

const read = (state) => (typeof state === "string" ? JSON.parse(state) : (state ?? undefined));
