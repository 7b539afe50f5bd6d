// Differential: what we take and refuse, against the official schemas of 2025-11-25 and 2026-07-28
// and an independent writing of the textual rules.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contentIdentity, samplingIdentity } from "../../../shared/wire/identity.ts";
import { parseSampling } from "../../../shared/wire/mcp-2025/sampling-params.ts";
import { parseSampling2026 } from "../../../shared/wire/mcp-2026/sampling.ts";
import { fits } from "../../../shared/json/fields.ts";
import { samplingRequest } from "../../../shared/model/sampling.ts";
import { paramsOf } from "./params.ts";
import { officialErrors } from "./official.ts";

type Value = null | boolean | number | string | Value[] | { [name: string]: Value };
type Members = { [name: string]: Value };

const goodImageTypes = ["image/png", "IMAGE/JPEG", "image/svg+xml"];
const goodAudioTypes = ["audio/wav", "audio/ogg; codecs=opus"];
const badTypes = ["image/png;base64,AAAA", "image/", "png", "text html"];
const goodData = ["AAAA", "AAA=", "AA==", "+/+/"];
const badData = ["AAA", "-_-_", "AA=A", "AAAA\n", "===="];

/** What a mutation may put anywhere: the values at which rules change their mind. */
const interesting: Value[] = [
  null,
  true,
  false,
  0,
  -1,
  1,
  1.5,
  0.5,
  2 ** 53,
  1e300,
  Infinity,
  "",
  " ",
  "a",
  "user",
  "assistant",
  "text",
  "image",
  "audio",
  "tool_use",
  "tool_result",
  "resource",
  "resource_link",
  "object",
  "auto",
  "none",
  "thisServer",
  "call_1",
  "call_2",
  "\ud800",
  "tools/call",
  "resources/read",
  [],
  {},
  [""],
  ["a"],
  [{}],
  { type: "object" },
  { type: "text", text: "x" },
  { type: "resource", resource: { uri: "u", text: "t", blob: "AAAA" } },
  { mode: "none" },
  { name: "n" },
  ...goodImageTypes,
  ...goodAudioTypes,
  ...badTypes,
  ...goodData,
  ...badData,
  JSON.parse('{"__proto__":1}') as Value,
];

const names = [
  "_meta",
  "annotations",
  "audience",
  "priority",
  "title",
  "icons",
  "size",
  "text",
  "blob",
  "mimeType",
  "isError",
  "structuredContent",
  "description",
  "tools",
  "toolChoice",
  "mode",
  "includeContext",
  "task",
  "ttl",
  "hints",
  "costPriority",
  "metadata",
  "stopSequences",
  "temperature",
  "systemPrompt",
  "progressToken",
  "countersign/session",
  "countersign/originatingRequest",
  "properties",
  "required",
  "$schema",
  "outputSchema",
  "execution",
  "taskSupport",
  "unknown",
];

const text = fc.record({ type: fc.constant("text"), text: fc.string() });
const image = fc.record({ type: fc.constant("image"), data: fc.constantFrom(...goodData), mimeType: fc.constantFrom(...goodImageTypes) });
const audio = fc.record({ type: fc.constant("audio"), data: fc.constantFrom(...goodData), mimeType: fc.constantFrom(...goodAudioTypes) });
const link = fc.record({ type: fc.constant("resource_link"), uri: fc.constant("file:///a"), name: fc.string(), size: fc.nat() });
const embedded = fc.record({
  type: fc.constant("resource"),
  resource: fc.constantFrom<Members>({ uri: "u", text: "t" }, { uri: "u", blob: "", mimeType: "application/pdf" }),
});
const resultContent = fc.array(fc.oneof(text, image, audio, link, embedded), { maxLength: 2 });
const said = fc.oneof(text, image, audio);

/** One turn: something said, or a round of tools with as many results as uses. */
const turn: fc.Arbitrary<Value[]> = fc.oneof(
  fc
    .record({ role: fc.constantFrom("user", "assistant"), content: fc.oneof(said, fc.array(said, { minLength: 1, maxLength: 3 })) })
    .map((message) => [message as Value]),
  fc.tuple(fc.boolean(), fc.array(resultContent, { minLength: 1, maxLength: 3 })).map(([aside, contents]) => [
    {
      role: "assistant",
      content: [
        ...(aside ? [{ type: "text", text: "let me look" }] : []),
        ...contents.map((_, i) => ({ type: "tool_use", id: `call_${i}`, name: "t", input: {} })),
      ],
    },
    {
      role: "user",
      content: contents.map((content, i) => ({ type: "tool_result", toolUseId: `call_${i}`, content: content as Value })).toReversed(),
    },
  ]),
);

/** Params that are valid: tool ids are made unique by the turn they are in. */
const validParams: fc.Arbitrary<Members> = fc
  .record(
    {
      messages: fc
        .array(turn, { minLength: 1, maxLength: 4 })
        .map((turns) =>
          turns.flatMap((messages, i) => JSON.parse(JSON.stringify(messages).replaceAll('"call_', `"call_${i}_`)) as Value[]),
        ),
      maxTokens: fc.integer({ min: 1 }),
      systemPrompt: fc.string(),
      temperature: fc.constantFrom(0, 0.7, 2),
      stopSequences: fc.array(fc.string({ minLength: 1 }), { maxLength: 2 }),
      metadata: fc.dictionary(fc.string({ minLength: 10, maxLength: 12 }), fc.nat(), { maxKeys: 2 }),
      modelPreferences: fc.constantFrom<Members>({ hints: [{ name: "sonnet" }], costPriority: 0.5 }, { speedPriority: 1 }),
      includeContext: fc.constantFrom("none", "thisServer", "allServers"),
      tools: fc.constantFrom<Value[]>(
        [],
        [{ name: "t", inputSchema: { type: "object", properties: { a: { type: "string" } }, required: ["a"] } }],
      ),
      toolChoice: fc.constantFrom<Members>({}, { mode: "auto" }, { mode: "required" }),
      task: fc.constantFrom<Members>({}, { ttl: 1000 }),
      _meta: fc.constantFrom<Members>(
        {},
        {
          progressToken: 1,
          "countersign/session": "s",
          "countersign/originatingRequest": { id: 1, method: "tools/call", name: "n", server: "s" },
        },
      ),
    },
    { requiredKeys: ["messages", "maxTokens"] },
  )
  .map((params) => JSON.parse(JSON.stringify(params)) as Members);

type Mutation = { at: number; kind: "delete" | "replace" | "add" | "repeat" | "reverse"; value: Value; name: string };

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom("delete", "replace", "add", "repeat", "reverse"),
  value: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...interesting) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Value> },
  ),
  name: fc.constantFrom(...names),
});

const mutatedParams = fc.tuple(validParams, fc.array(mutation, { minLength: 1, maxLength: 3 })).map(([params, mutations]) => {
  const copy = structuredClone(params);
  for (const each of mutations) mutate(copy, each);
  return copy;
});

function mutate(root: Members, { at, kind, value, name }: Mutation): void {
  const places: [Value[] | Members, string | number][] = [];
  const visit = (value: Value) => {
    if (typeof value !== "object" || value === null) return;
    for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
      places.push([value, key]);
      visit((value as Members)[key] as Value);
    }
  };
  visit(root);
  const place = places[at % Math.max(1, places.length)];
  if (place === undefined) return;
  const [container, key] = place as [Members, string];
  const target = container[key];
  if (kind === "replace" || target === undefined) container[key] = structuredClone(value);
  else if (kind === "delete" && Array.isArray(container)) container.splice(Number(key), 1);
  else if (kind === "delete") delete container[key];
  else if (kind === "repeat" && Array.isArray(container)) container.push(structuredClone(target));
  else if (kind === "reverse" && Array.isArray(target)) target.reverse();
  else if (typeof target === "object" && target !== null && !Array.isArray(target)) target[name] = structuredClone(value);
}

const members = (value: Value | undefined): Members => (typeof value === "object" && value !== null && !Array.isArray(value) ? value : {});
const list = (value: Value | undefined): Value[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]);

/**
 * The textual rules, written without a look at the code that is tested; meant for params in which
 * the official schema found no fault.
 */
function keepsTextualRules(params: Members): boolean {
  return (
    isCarried(params) &&
    saysSomething(list(params["messages"]).map(members)) &&
    numbersAreExact(params) &&
    blocksAreSound(params) &&
    metaIsSound(members(params["_meta"])) &&
    toolsAreBalanced(list(params["messages"]).map(members))
  );
}

/** A message, and in each of them a block. */
const saysSomething = (messages: Members[]): boolean =>
  messages.length > 0 && messages.every(({ content }) => !Array.isArray(content) || content.length > 0);

function isCarried(value: Value): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, member]) => name !== "__proto__" && name.isWellFormed() && isCarried(member));
}

function numbersAreExact(params: Members): boolean {
  const { maxTokens, stopSequences } = params;
  const { ttl = 0 } = members(params["task"]);
  const { progressToken = 0 } = members(params["_meta"]);
  return (
    Number.isSafeInteger(maxTokens) &&
    Number(maxTokens) >= 1 &&
    !list(stopSequences).includes("") &&
    Number.isSafeInteger(ttl) &&
    Number(ttl) >= 0 &&
    (typeof progressToken === "string" || Number.isSafeInteger(progressToken))
  );
}

function blocksAreSound(params: Members): boolean {
  const blocks = list(params["messages"])
    .flatMap((message) => list(members(message)["content"]))
    .map(members);
  const inner = blocks.flatMap((block) => (block["type"] === "tool_result" ? list(block["content"]).map(members) : []));
  return [...blocks, ...inner].every(({ type, data, mimeType, resource }) => {
    if (type === "image") return isData(data) && goodImageTypes.includes(String(mimeType));
    if (type === "audio") return isData(data) && goodAudioTypes.includes(String(mimeType));
    if (type !== "resource") return true;
    const { text, blob, mimeType: kind } = members(resource);
    if (blob === undefined) return true;
    return (
      text === undefined &&
      (blob === "" || isData(blob)) &&
      (kind === undefined || /^(?!.*base64)[\w+/;= -]+\/[\w+;= -]+$/.test(String(kind)))
    );
  });
}

function isData(value: Value | undefined): boolean {
  if (typeof value !== "string" || value === "" || value.length % 4 !== 0 || /\s/.test(value)) return false;
  try {
    atob(value);
    return true;
  } catch {
    return false;
  }
}

function metaIsSound(meta: Members): boolean {
  const { "countersign/session": session, "countersign/originatingRequest": originating } = meta;
  if (session !== undefined && !(typeof session === "string" && session.length > 0 && [...session].every((c) => c > " " && c < "\u007f")))
    return false;
  if (originating === undefined) return true;
  const { id, method, name, server } = members(originating);
  const isName = (value: Value | undefined) =>
    typeof value === "string" && value !== "" && [...value].every((c) => c >= " " && !(c >= "\u007f" && c < "\u00a0"));
  return (
    (typeof id === "string" || Number.isSafeInteger(id)) &&
    ["tools/call", "resources/read", "prompts/get"].includes(String(method)) &&
    isName(name) &&
    isName(server)
  );
}

function toolsAreBalanced(messages: Members[]): boolean {
  const idsOf = (message: Members | undefined, type: string, member: string) =>
    list(message?.["content"])
      .map(members)
      .filter((block) => block["type"] === type)
      .map((block) => String(block[member]));
  const uses = messages.map((message) => idsOf(message, "tool_use", "id"));
  const results = messages.map((message) => idsOf(message, "tool_result", "toolUseId"));
  if (new Set(uses.flat()).size !== uses.flat().length) return false;
  return messages.every(({ role, content }, m) => {
    const used = uses[m] ?? [];
    const answers = results[m] ?? [];
    const answered = results[m + 1] ?? [];
    if (used.length > 0 && (role !== "assistant" || JSON.stringify(used.toSorted()) !== JSON.stringify(answered.toSorted()))) return false;
    return answers.length === 0 || (role === "user" && answers.length === list(content).length && (uses[m - 1]?.length ?? 0) > 0);
  });
}

/** What differs between the revisions for this oracle. */
const families = [
  ["2025-11-25", parseSampling, (params: Members) => params, () => true],
  // No task, no `_meta` of its own (ours stays an object), and a schema of JSON values in which
  // null and fractions are left out by oversight.
  [
    "2026-07-28",
    parseSampling2026,
    ({ task: _task, ...params }: Members) => params,
    ({ _meta: meta }: Members) => meta === undefined || (typeof meta === "object" && meta !== null && !Array.isArray(meta)),
  ],
] as const;
const judged = (params: Members): Members =>
  "metadata" in params && Object.keys(members(params["metadata"])).length > 0 ? { ...params, metadata: {} } : params;

describe.each(families)("the official schema of %s and the textual rules", (revision, parse, own, isSound) => {
  const errorsOf = (params: Members): string[] =>
    officialErrors(revision, "CreateMessageRequestParams", revision === "2026-07-28" ? judged(params) : params);

  test("are kept by every valid request, and it is taken", () => {
    fc.assert(
      fc.property(validParams, (params) => {
        expect(errorsOf(params)).toEqual([]);
        expect(keepsTextualRules(own(params))).toBe(true);
        expect(parse(params)).toMatchObject({ ok: true });
      }),
      { numRuns: 500 },
    );
  });

  test("agree with us about every mutation of a valid request", () => {
    const seen = { taken: 0, againstSchema: 0, againstText: 0 };
    fc.assert(
      fc.property(mutatedParams, (given) => {
        const params = own(given);
        const errors = errorsOf(params);
        const expected = errors.length === 0 && keepsTextualRules(params) && isSound(params);
        seen[expected ? "taken" : errors.length > 0 ? "againstSchema" : "againstText"] += 1;
        const result = parse(params);
        expect(result.ok, `${JSON.stringify(result)} but the schema says ${JSON.stringify(errors)}`).toBe(expected);
      }),
      { numRuns: 6000 },
    );
    // Each side of both rules was really visited.
    expect(Math.min(seen.taken, seen.againstSchema, seen.againstText)).toBeGreaterThan(50);
  });
});

test("whatever is taken is a valid neutral request, says the same when read again, and has digests", () => {
  fc.assert(
    fc.property(fc.constantFrom(parseSampling, parseSampling2026), fc.oneof(validParams, mutatedParams), (parse, params) => {
      const first = parse(params);
      if (!first.ok) return;
      expect(fits(samplingRequest, first.value.request)).toBe(true);
      expect(parse(paramsOf(first.value.request))).toMatchObject({ ok: true, value: { request: first.value.request } });
      expect(samplingIdentity(params)).not.toBe(contentIdentity(params));
    }),
    { numRuns: 1500 },
  );
});

test("whatever is refused names at least one place that is there, or whose parent is", () => {
  fc.assert(
    fc.property(fc.constantFrom(parseSampling, parseSampling2026), mutatedParams, (parse, params) => {
      const result = parse(params);
      if (result.ok) return;
      const pointers = result.error.kind === "invalid" ? result.error.errors.map(({ pointer }) => pointer) : [result.error.pointer];
      expect(pointers.length).toBeGreaterThan(0);
      for (const pointer of pointers) expect(parentExists(params, pointer), pointer).toBe(true);
    }),
    { numRuns: 1500 },
  );
});

function parentExists(root: Value, pointer: string): boolean {
  let here: Value | undefined = root;
  for (const step of pointer.split("/").slice(1, -1)) {
    if (typeof here !== "object" || here === null) return false;
    here = (here as Members)[step.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return typeof here === "object" && here !== null;
}
