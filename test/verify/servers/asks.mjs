// The tools of each of these servers, as calls to the client: what differs is only how a framework
// sends them.

const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const weather = {
  name: "weather",
  description: "The weather of a city",
  inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const form = { message: "Is the question right?", requestedSchema: { type: "object", properties: { confirm: { type: "boolean" } } } };

const user = (content) => ({ role: "user", content });
const text = (said) => ({ type: "text", text: said });
const params = (question, more = {}) => ({ messages: [user(text(question))], maxTokens: 100, ...more });
const textOf = ({ content }) =>
  [content]
    .flat()
    .map((block) => block.text ?? JSON.stringify(block))
    .join("");

async function loop(question, { sample }) {
  const messages = [user(text(question))];
  for (let round = 1; ; round += 1) {
    const { content } = await sample(params(question, { messages: [...messages], tools: [weather], maxTokens: 200 }), `loop-${round}`);
    const uses = [content].flat().filter(({ type }) => type === "tool_use");
    if (uses.length === 0) return JSON.stringify({ round, content: [content].flat() });
    const results = uses.map(({ id }) => ({ type: "tool_result", toolUseId: id, content: [text("Sunny")] }));
    messages.push({ role: "assistant", content }, user(results));
  }
}

async function five(question, { sample }) {
  const replies = [];
  for (const round of [1, 2, 3, 4, 5]) replies.push(textOf(await sample(params(`${question} (round ${round})`), `round-${round}`)));
  return JSON.stringify(replies);
}

/**
 * By name: from the question and how to ask (`sample`, `elicit`, each with a name of the request)
 * to the tool's text.
 */
export const tools = {
  ask: async (question, { sample }) => textOf(await sample(params(question), "reply")),
  "ask-image": async (question, { sample }) => {
    const image = { type: "image", data: onePixel, mimeType: "image/png" };
    return textOf(await sample(params(question, { messages: [user(text(question)), user(image)] }), "reply"));
  },
  "ask-tools": loop,
  "ask-two": async (question, { sample }) => {
    const both = ["first", "second"].map((which) => sample(params(`${question} (${which})`), which));
    return JSON.stringify((await Promise.all(both)).map(textOf));
  },
  "ask-five": five,
  "ask-and-elicit": async (question, { sample, elicit }) => {
    if (elicit === undefined) return "this framework cannot elicit";
    const [reply, { action, content }] = await Promise.all([sample(params(question), "reply"), elicit(form, "confirm")]);
    return JSON.stringify({ reply: textOf(reply), action, content });
  },
};
