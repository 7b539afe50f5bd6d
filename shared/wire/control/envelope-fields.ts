// Every member of an envelope, with its limits, its default and its meaning: the endpoint reads by
// these fields and publishes them.
//
// Source: the Model Control Protocol's description of its request (sections 2 and 3). Limits that
// it does not name are ours, and so are `prompt` of a function call, `context.remember`, and lists
// where it shows one value.

import {
  alsoSaying,
  anyObject,
  described,
  flag,
  integerWithin,
  list,
  numberWithin,
  object,
  oneOf,
  oneOrMore,
  optional,
  text,
  withDefault,
  type Field,
  type ReadOf,
} from "../../json/fields.ts";
import { taskTypes, versions, type TaskType, type Version } from "./envelope.ts";

/**
 * How many there may be of each, whatever the size of the body: a page shows every one to a person,
 * a reply is cut at every stop sequence, every image is fetched and every function's schema is
 * walked.
 */
export const mostMembers = { history: 1_000, stop: 256, texts: 256, images: 20, functions: 128 } as const;

export const defaults = { maxTokens: 512, timeoutMs: 30_000, cacheSeconds: 3_600 } as const;

const word = (max: number): Field<string> => text({ min: 1, max });

const generation = {
  prompt: described("What the model is asked.", text({ min: 1 })),
  max_tokens: described(
    "The most tokens that the model may answer with. Counted by the model's own tokenizer.",
    withDefault(defaults.maxTokens, integerWithin(1)),
  ),
  temperature: described("Randomness, from 0 to 1. Absent: the model's own.", optional(numberWithin(0, 1))),
  top_p: described(
    "The share of the probability that is sampled from, from 0 to 1. Absent: the model's own.",
    optional(numberWithin(0, 1)),
  ),
  top_k: described(
    "How many of the likeliest tokens are sampled from. Absent: the model's own. Left out, with a note, where the provider has no such parameter.",
    optional(integerWithin(1)),
  ),
  stop: described(
    "The answer ends before any of these. One text, or a list.",
    optional(oneOrMore(text({ min: 1 }), { min: 1, max: mostMembers.stop })),
  ),
  stream: described("Answer with server-sent events.", withDefault(false, flag)),
  response_format: described('With "json" the answer is checked to be JSON.', withDefault("text", oneOf(["text", "json"]))),
};

/** BCP 47 in outline; `Intl.getCanonicalLocales` knows the rest. Every tag that it takes fits. */
const language = (description: string): Field<string> =>
  described(
    description,
    text({
      min: 2,
      max: 100,
      pattern: { source: "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$", why: "must be a BCP 47 language tag, such as en or zh-CN" },
    }),
  );

const functionDefinition = object({
  name: described("By which the model and `function_call` name it. No two functions of one request have the same.", word(256)),
  description: described("What it does, for the model and for reviewers.", optional(text())),
  parameters: described(
    "A JSON Schema for the arguments, which are an object. Formats that are not known are annotations. Absent: any object.",
    optional(alsoSaying({ properties: { type: { const: "object" } } }, anyObject)),
  ),
});

const tasks = {
  text_generation: object(generation),
  translation: object({
    text: described("What is translated.", text({ min: 1 })),
    source_lang: optional(language("The language of `text`, as a BCP 47 tag. Absent: the model finds it out, and the answer says it.")),
    target_lang: language("The language to translate into, as a BCP 47 tag."),
    formality: described("How the reader is addressed. Absent: as in the text.", optional(oneOf(["formal", "informal"]))),
  }),
  embedding: object({
    text: described("One text, or a list of them: one vector for each.", oneOrMore(text({ min: 1 }), { min: 1, max: mostMembers.texts })),
  }),
  function_call: alsoSaying(
    { anyOf: [{ required: ["function_call"] }, { required: ["functions"], properties: { functions: { minItems: 1 } } }] },
    object({
      functions: described(
        "The functions that there are. Needed where the function is not registered here, and where a model is to choose.",
        optional(list(functionDefinition, { max: mostMembers.functions })),
      ),
      function_call: described(
        "The call. Its parameters are checked against the function's schema; then the function runs where it is registered, or the checked call is handed back. Absent (an extension): a model chooses among `functions`, for `prompt` or the history.",
        optional(
          object({
            name: described("Of one of `functions`, or of a function that is registered here.", word(256)),
            parameters: described("The arguments. Absent: none.", withDefault({}, anyObject)),
          }),
        ),
      ),
      prompt: described(
        "What a model chooses a function for, after the history (an extension). Not used beside `function_call`.",
        optional(text({ min: 1 })),
      ),
    }),
  ),
  multimodal_generation: object({
    ...generation,
    images: described(
      "Shown to the model before the prompt, in this order.",
      list(
        object({
          type: oneOf(["url", "base64"]),
          value: described(
            "An https address that the gateway fetches, where its policy lists the host; or the image's bytes as base64.",
            text({ min: 1 }),
          ),
        }),
        { min: 1, max: mostMembers.images },
      ),
    ),
  }),
} as const satisfies { readonly [type in TaskType]: Field<unknown> };

type TaskFields = { readonly [type in TaskType]: ReadOf<(typeof tasks)[type]> };

const taskDescriptions: { readonly [type in TaskType]: string } = {
  text_generation: "Text from a prompt.",
  translation: "A text in another language.",
  embedding: "Vectors for texts.",
  function_call: "A function's arguments checked, and the function run where it is registered.",
  multimodal_generation: "Text from a prompt and images.",
};

/** Which task types a version has. Source: section 2.1, "1.0 has no multimodal, 2.0 adds it". */
const tasksOf = (version: Version): readonly TaskType[] =>
  version === "1.0" ? taskTypes.filter((type) => type !== "multimodal_generation") : taskTypes;

export type ReadTask = { readonly [type in TaskType]: { readonly type: type; readonly parameters: TaskFields[type] } }[TaskType];

/**
 * The task of one version. Undefined after an error in its type, by which its parameters are read.
 */
const task = (version: Version | undefined): Field<ReadTask | undefined> => {
  const types = version === undefined ? taskTypes : tasksOf(version);
  const both = object({ type: { read: (value) => value, schema: {} }, parameters: { read: (value) => value, schema: {} } });
  return {
    read(value, at, issues) {
      const before = issues.found.length;
      const given = both.read(value, at, issues);
      if (issues.found.length > before) return undefined;
      const type = taskTypes.find((known) => known === given.type);
      if (type === undefined) {
        oneOf(types as [TaskType, ...TaskType[]]).read(given.type, `${at}/type`, issues);
        return undefined;
      }
      if (!types.includes(type)) {
        const having = versions.filter((each) => tasksOf(each).includes(type));
        issues.add(`${at}/type`, `is not in this protocol_version; ${having.join(" and ")} have it`);
      }
      // The fields are those of this very type.
      return { type, parameters: tasks[type].read(given.parameters, `${at}/parameters`, issues) } as ReadTask;
    },
    schema: {
      type: "object",
      required: ["type", "parameters"],
      properties: { type: { enum: [...types] }, parameters: { type: "object" } },
      oneOf: types.map((type) => ({
        title: type,
        description: taskDescriptions[type],
        properties: { type: { const: type }, parameters: tasks[type].schema },
      })),
    },
  };
};

/**
 * The version as a pattern: the newest minor version of a major one stands for all that are newer
 * still.
 */
const minor = "[0-9]{0,5}";
const patterns: { readonly [version in Version]: string } = {
  "1.0": `^1\\.(0|[1-9]${minor})$`,
  "2.0": "^2\\.0$",
  "2.1": `^2\\.[1-9]${minor}$`,
};

/**
 * The known version that a given one is served as: itself, or the newest minor version of its major
 * one where it is newer.
 */
export const servedVersion = (given: unknown): Version | undefined =>
  typeof given === "string" ? versions.find((version) => new RegExp(patterns[version], "u").test(given)) : undefined;

const knownVersion: Field<string> = {
  read(value, at, issues) {
    const known = `must be a known version, as a string: ${versions.join(", ")}, or a newer minor version of these`;
    if (servedVersion(value) === undefined) issues.add(at, value === undefined ? "is required" : known);
    return "";
  },
  schema: {},
};

const versionField = (version: Version): Field<string> => ({
  ...knownVersion,
  schema: {
    description: `The version of the protocol.${version === "2.0" ? "" : ` Newer minor versions are served as ${version}.`}`,
    type: "string",
    pattern: patterns[version],
  },
});

export const requestId = described(
  "Names the request in its answer and in the record. The same id again is the same request: with the same body it is answered once, with another it is refused.",
  text({ min: 1, max: 256, pattern: { source: "^[^\\u0000-\\u001f\\u007f-\\u009f]*$", why: "must not have control characters" } }),
);

const members = {
  model: object({
    name: described("The model, by a name of the routing table, or one that the table gives equivalents for.", word(256)),
    version: described('Of the model. "latest" is as good as none.', optional(word(256))),
    provider: described("Of the model, where several have it.", optional(word(256))),
  }),
  context: described(
    "What was said before.",
    optional(
      alsoSaying(
        { dependentRequired: { remember: ["session_id"] } },
        object({
          session_id: described(
            "Names the conversation. Visible ASCII; does not begin with mcp:.",
            optional(
              text({
                min: 1,
                max: 128,
                // The same as `isSessionName`.
                pattern: { source: "^(?!mcp:)[!-~]*$", why: "must be visible ASCII characters, without spaces, and not begin with mcp:" },
              }),
            ),
          ),
          history: described(
            "The conversation so far, oldest first. System messages may stand anywhere; they are joined to the system prompt, in order.",
            optional(list(object({ role: oneOf(["user", "assistant", "system"]), content: text() }), { max: mostMembers.history })),
          ),
          system_prompt: described("How the model is to behave.", optional(text())),
          remember: described(
            "Keeps this turn for the session (an extension); needs `session_id`.",
            optional(
              object({ ttl: described("Seconds after the last turn until the conversation is forgotten.", integerWithin(1, 2_592_000)) }),
            ),
          ),
        }),
      ),
    ),
  ),
  control: described(
    "How the request is carried out.",
    optional(
      object({
        timeout: described("Milliseconds.", withDefault(defaults.timeoutMs, integerWithin(1, 600_000))),
        priority: described(
          "The place in the queue of a model that is at its limit.",
          withDefault("normal", oneOf(["low", "normal", "high"])),
        ),
        retryable: described("Whether another attempt, or another model, may be made where one fails.", withDefault(true, flag)),
        cache: described(
          "Whether an earlier answer to the same request of the same key will do, and this one is kept for later ones.",
          optional(
            object({
              enable: flag,
              ttl: described("Seconds for which an answer is good.", withDefault(defaults.cacheSeconds, integerWithin(1, 86_400))),
            }),
          ),
        ),
      }),
    ),
  ),
  auth: described(
    "Credentials, where they are not in the Authorization header. Never stored.",
    optional(object({ api_key: optional(word(16_384)), token: optional(word(16_384)) })),
  ),
};

const envelopeFields = (version: Version | undefined) =>
  object({
    protocol_version: version === undefined ? knownVersion : versionField(version),
    request_id: requestId,
    ...members,
    task: task(version),
  });
export type ReadEnvelope = ReadOf<ReturnType<typeof envelopeFields>>;

const known: { readonly [version in Version]: Field<ReadEnvelope> } = {
  "1.0": envelopeFields("1.0"),
  "2.0": envelopeFields("2.0"),
  "2.1": envelopeFields("2.1"),
};
const unknown = envelopeFields(undefined);

/** An envelope of a version; undefined: of an unknown one, which is an error itself. */
export const envelopeField = (version: Version | undefined): Field<ReadEnvelope> => (version === undefined ? unknown : known[version]);
