// What the list of requests shows while there are none: how to send the first.

import { type Visit, useTexts } from "../page.ts";
import { requestsWords } from "./requests-words.ts";

const params = {
  messages: [{ role: "user", content: { type: "text", text: "Say hello." } }],
  maxTokens: 50,
  _meta: {
    "countersign/session": "first",
    "countersign/originatingRequest": { id: 1, method: "tools/call", name: "hello", server: "test" },
  },
};
const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "sampling/createMessage", params });

/** The command works in bash and zsh: the body has no quote of a shell's in it. */
const commandFor = (publicUrl: string): string =>
  [
    "KEY=…",
    `curl -s "${publicUrl}/sampling" -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\`,
    `  -d '${body}'`,
  ].join("\n");

export const FirstRequest = ({ visit }: { visit: Visit }) => {
  const { empty } = useTexts(requestsWords);
  return (
    <section class="card stack" aria-labelledby="first">
      <h2 id="first">{empty.title}</h2>
      <p>{empty.lead}</p>
      <pre class="command" tabindex={0}>
        {commandFor(visit.publicUrl)}
      </pre>
      <p>
        <a href={visit.at("keys")}>{empty.keys}</a>
      </p>
    </section>
  );
};
