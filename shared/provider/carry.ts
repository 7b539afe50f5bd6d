// Whether a model can take a request's content at all. If not, the model is ineligible; the request
// is never sent with something missing.

import type { Block, SamplingRequest } from "../model/sampling.ts";
import type { Model, Provider } from "../routing/table.ts";
import type { ReasonPhrase } from "../words/reasons.ts";
import type { ProviderRules } from "./provider-rules.ts";
import { rulesOf } from "./rules-by-kind.ts";
import { isOpaque, resultParts, type ResultPart } from "./tool-result.ts";

/**
 * Why this model cannot take this request's content, as a plain clause ("it does not support
 * images") without anything from the request; undefined where it can. Only content is judged:
 * limits, prices and permissions are routing's.
 *
 * Ineligible are tools for a model without tools; images, audio and PDFs for a model without them;
 * resources that are neither text, image nor audio; and what the kind's own rules name: kinds of
 * media that its API has no name for, media in an assistant's message, blank texts.
 */
export function cannotCarry(request: SamplingRequest, model: Model, kind: Provider["kind"]): ReasonPhrase | undefined {
  const rules = rulesOf(kind);
  if ((request.tools?.length ?? 0) > 0 && !model.tools) return { key: "toolsUnsupported" };
  for (const message of request.messages) {
    for (const block of message.content) {
      const reason = blockReason(block, message.role, model, rules);
      if (reason !== undefined) return reason;
    }
    const reason = rules.messageReason(message, request);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function blockReason(block: Block, role: "user" | "assistant", model: Model, rules: ProviderRules): ReasonPhrase | undefined {
  switch (block.type) {
    case "text":
      return undefined;
    case "tool_use":
      return model.tools ? undefined : { key: "toolUsesUnsupported" };
    case "tool_result": {
      if (!model.tools) return { key: "toolResultsUnsupported" };
      if (block.content.some((part) => part.type === "resource" && isOpaque(part))) return { key: "opaqueResource" };
      return first(resultParts(block), (part) => partReason(part, model, rules));
    }
    case "image":
    case "audio":
    case "pdf":
      if (role === "assistant" && !rules.takesAssistantMedia) return { key: "assistantMedia", values: { content: { key: block.type } } };
      if (block.type === "pdf") return model.accepts.includes("pdf") ? undefined : { key: "noPdfs" };
      return partReason(block, model, rules);
  }
}

function partReason(part: ResultPart, model: Model, rules: ProviderRules): ReasonPhrase | undefined {
  if (part.type === "text") return undefined;
  if (!model.accepts.includes(part.type)) return { key: part.type === "image" ? "noImages" : "noAudio" };
  return rules.mediaReason(part);
}

function first<T>(items: readonly T[], reasonOf: (item: T) => ReasonPhrase | undefined): ReasonPhrase | undefined {
  for (const item of items) {
    const reason = reasonOf(item);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
