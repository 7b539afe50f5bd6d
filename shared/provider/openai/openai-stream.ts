// Assembles a stream of Chat Completions into the completion that `fromOpenAI` reads.
// Source: OpenAI's API reference, "Chat Completions, streaming" (the chat completion chunk object).

import { isObject, parseJson, type Members } from "../../json/values.ts";
import type { ProviderError } from "../../model/call.ts";
import { brokenAnswer } from "../provider-error.ts";
import { isJsonObject } from "../narrow.ts";
import { textsOf, usageOf } from "./openai-translation.ts";
import { mostBlocks, type StreamReader, type TextDeltas } from "../text-deltas.ts";

type Call = { readonly index: unknown; id: string; name: string; arguments: unknown };

/**
 * Reads the chunks of one reply, and passes its text to `deltas`. The reply is whole once the
 * provider gave its `finish_reason`; the count of tokens follows in a chunk of its own, or not at
 * all. A `[DONE]` alone proves nothing: a server that breaks off may send one too.
 */
export function readOpenAI(deltas: TextDeltas): StreamReader {
  const calls: Call[] = [];
  let model: unknown;
  let content: string | null = null;
  let refusal: string | null = null;
  let finish: string | undefined;
  let matched: unknown;
  let usage: unknown;
  let characters = 0;

  const takeChoice = (choice: Members): ProviderError | undefined => {
    if (isObject(choice["error"])) return brokenAnswer("errorInSuccess");
    // Servers that cannot stream may send the whole message as the one chunk.
    const delta = [choice["delta"], choice["message"]].find(isObject) ?? {};
    const texts = textsOf(delta["content"]);
    if (texts === undefined) return brokenAnswer();
    for (const text of texts) {
      characters += text.length;
      content = (content ?? "") + text;
      deltas.add(text);
    }
    // Delivered at the end: a refusal stands after the text, whenever it came.
    if (typeof delta["refusal"] === "string") refusal = (refusal ?? "") + delta["refusal"];
    // Thinking is not part of the reply, but counts as made. Compatible servers use one name or the
    // other.
    for (const made of [delta["refusal"], delta["reasoning_content"] ?? delta["reasoning"]])
      if (typeof made === "string") characters += made.length;
    for (const piece of Array.isArray(delta["tool_calls"]) ? delta["tool_calls"] : []) {
      const came = isObject(piece) ? addCall(calls, piece) : undefined;
      if (came === undefined) return brokenAnswer("toolArguments");
      characters += came;
      if (calls.length > mostBlocks) return brokenAnswer("tooLarge");
    }
    // Some compatible servers send an empty one with every chunk.
    if (typeof choice["finish_reason"] === "string" && choice["finish_reason"] !== "") finish = choice["finish_reason"];
    if (choice["stop_reason"] !== null && choice["stop_reason"] !== undefined) matched = choice["stop_reason"];
    return undefined;
  };

  return {
    take: (data) => {
      if (data.trim() === "[DONE]") return "end";
      const chunk = parseJson(data);
      if (!isObject(chunk)) return brokenAnswer("notJson");
      if (usageOf(chunk["usage"]) !== undefined) usage = chunk["usage"];
      if (chunk["error"] !== undefined && chunk["error"] !== null) return brokenAnswer("errorInSuccess");
      if (typeof chunk["model"] === "string" && chunk["model"] !== "") model = chunk["model"];
      // One reply was asked for; the chunk with the count has no choice.
      const choice: unknown = Array.isArray(chunk["choices"]) ? chunk["choices"][0] : undefined;
      return (isObject(choice) ? takeChoice(choice) : undefined) ?? "more";
    },
    isWhole: () => finish !== undefined,
    usage: () => usageOf(usage),
    characters: () => characters,
    response: () => {
      const message = {
        content,
        refusal,
        tool_calls: calls.map(({ id, name, arguments: given }) => ({ id, function: { name, arguments: given } })),
      };
      return { model, choices: [{ message, finish_reason: finish, stop_reason: matched }], usage };
    },
  };
}

/**
 * Adds a piece to the call with its index, or without one to the last; an id of its own begins
 * another call, since some compatible servers send every call whole and give them all the index 0.
 * Returns how many characters came with it; undefined where its arguments are neither text nor a
 * JSON object.
 */
function addCall(calls: Call[], piece: Members): number | undefined {
  const { index, id } = piece;
  const called = isObject(piece["function"]) ? piece["function"] : {};
  const known = index === undefined || index === null ? calls.at(-1) : calls.findLast((call) => call.index === index);
  const isOther = typeof id === "string" && id !== "" && known !== undefined && known.id !== "" && known.id !== id;
  let call = isOther ? undefined : known;
  if (call === undefined) {
    call = { index, id: "", name: "", arguments: undefined };
    calls.push(call);
  }
  if (call.id === "" && typeof id === "string") call.id = id;
  if (call.name === "" && typeof called["name"] === "string") call.name = called["name"];
  const given = called["arguments"];
  const named = call === known ? 0 : call.id.length + call.name.length;
  if (given === undefined || given === null) return named;
  if (typeof given === "string") {
    call.arguments = typeof call.arguments === "string" ? call.arguments + given : given;
    return named + given.length;
  }
  if (!isJsonObject(given)) return undefined;
  call.arguments = given;
  return named + JSON.stringify(given).length;
}
