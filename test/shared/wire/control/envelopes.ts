// Envelopes of each task, as small as they may be or with all that they can have, and changes of
// one member.

const heading = { protocol_version: "2.1", request_id: "r-1", model: { name: "m" } };

export const textEnvelope = { ...heading, protocol_version: "1.0", task: { type: "text_generation", parameters: { prompt: "p" } } };

export const envelopes = {
  text: textEnvelope,
  translation: { ...heading, task: { type: "translation", parameters: { text: "t", source_lang: "en", target_lang: "de" } } },
  embedding: { ...heading, task: { type: "embedding", parameters: { text: ["a", "b"] } } },
  functionCall: {
    ...heading,
    task: { type: "function_call", parameters: { functions: [{ name: "f" }], function_call: { name: "f", parameters: {} } } },
  },
  choice: { ...heading, task: { type: "function_call", parameters: { functions: [{ name: "f" }], prompt: "p" } } },
  multimodal: {
    ...heading,
    task: { type: "multimodal_generation", parameters: { prompt: "p", images: [{ type: "base64", value: "aGk=" }] } },
  },
} as const;

/**
 * A copy in which what the pointer names has another value, or, with undefined, is not there. Every
 * step but the last has to be there.
 */
export function edited(value: unknown, pointer: string, member: unknown): unknown {
  const copy = structuredClone(value);
  const steps = pointer.split("/").slice(1);
  const last = steps.pop() ?? "";
  let target = copy as { [name: string]: unknown };
  for (const step of steps) target = target[step] as { [name: string]: unknown };
  if (member === undefined) delete target[last];
  else target[last] = member;
  return copy;
}
