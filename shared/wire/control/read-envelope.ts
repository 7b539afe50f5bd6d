// Reads a request of the Model Control Protocol into an `Envelope`, or finds all that is wrong with
// it at once. No clock, no storage.

import { isObject } from "../../json/values.ts";
import { err, ok, unreachable, type Result } from "../../result.ts";
import type { PointedError } from "../../model/outcome.ts";
import { checkJson } from "../../json/json-rules.ts";
import { IssueCollector } from "../../json/issue-collector.ts";
import { defaults, envelopeField, requestId, servedVersion, type ReadEnvelope, type ReadTask } from "./envelope-fields.ts";
import type { ControlTask, Envelope, FunctionDefinition, Version } from "./envelope.ts";
import { schemaErrors } from "./function-schema.ts";

export type EnvelopeRefusal = {
  /** 50 at most. */
  readonly errors: readonly PointedError[];
  /** For the answer, as far as these could be read. */
  readonly requestId: string | null;
  readonly version: Version | null;
};

/**
 * The envelope, from a value of JSON.parse (any at all), every default filled in and language tags
 * in their canonical form.
 *
 * Members that no version knows are ignored and reported (`ignored`), and so are known ones that
 * the task does not use: the history of an embedding, say. Newer minor versions of a known major
 * version are served as its newest.
 *
 * Refused, each at its JSON pointer: what the published schema refuses (`envelopeJsonSchema`), and
 * what it cannot say: values that cannot be hashed or carried (`checkJson`), language tags that are
 * none, two functions of one name, functions whose `parameters` are no JSON Schema that can be
 * checked here (`schemaErrors`). Never throws; messages never quote what was sent.
 */
export function parseEnvelope(value: unknown): Result<Envelope, EnvelopeRefusal> {
  const issues = new IssueCollector();
  checkJson(value, issues);
  const version = isObject(value) ? servedVersion(value["protocol_version"]) : undefined;
  // A value with that many errors is not walked again.
  const read = issues.full ? undefined : envelopeField(version).read(value, "", issues);
  const task = read?.task === undefined ? undefined : toTask(read.task, issues);
  if (read !== undefined && isObject(value)) checkTogether(read, issues);
  if (issues.found.length > 0 || read === undefined || task === undefined || version === undefined) {
    return err({ errors: issues.found, ...identityIn(value) });
  }
  return ok(toEnvelope(read, task, version, issues));
}

/**
 * What an answer names, as far as it can be read of any value. Nothing else is read, because
 * unauthorized callers get it too.
 */
export const identityIn = (value: unknown): Pick<EnvelopeRefusal, "requestId" | "version"> => ({
  requestId: requestIdOf(value),
  version: (isObject(value) ? servedVersion(value["protocol_version"]) : undefined) ?? null,
});

function requestIdOf(value: unknown): string | null {
  const issues = new IssueCollector();
  if (!isObject(value)) return null;
  checkJson(value["request_id"], issues);
  const id = requestId.read(value["request_id"], "", issues);
  return issues.found.length === 0 ? id : null;
}

/** The rules between several members. */
function checkTogether({ task, context }: ReadEnvelope, issues: IssueCollector): void {
  if (context?.remember !== undefined && context.session_id === undefined) {
    issues.add("/context/session_id", "is required where context.remember is given");
  }
  if (task?.type !== "function_call" || task.parameters.function_call !== undefined) return;
  const { functions = [], prompt } = task.parameters;
  const at = "/task/parameters/functions";
  // A list that could not be read is reported already.
  const wasRead = !issues.found.some(({ pointer }) => pointer === at);
  if (functions.length === 0 && wasRead) issues.add(at, "must not be empty where there is no function_call");
  if (prompt === undefined && (context?.history ?? []).length === 0) {
    issues.add("/task/parameters/prompt", "is required where there is neither a function_call nor a context.history");
  }
}

function toTask(task: ReadTask, issues: IssueCollector): ControlTask {
  const at = "/task/parameters";
  switch (task.type) {
    case "text_generation":
      return { type: task.type, ...toGeneration(task.parameters) };
    case "multimodal_generation":
      return { type: task.type, ...toGeneration(task.parameters), images: task.parameters.images };
    case "embedding":
      return { type: task.type, texts: task.parameters.text };
    case "translation": {
      const { text, source_lang: source, target_lang: target, formality } = task.parameters;
      const sourceLang = source === undefined ? undefined : canonicalTag(source, `${at}/source_lang`, issues);
      return {
        type: task.type,
        text,
        ...(sourceLang !== undefined && { sourceLang }),
        targetLang: canonicalTag(target, `${at}/target_lang`, issues),
        ...(formality !== undefined && { formality }),
      };
    }
    case "function_call": {
      const { functions = [], function_call: call, prompt } = task.parameters;
      if (call !== undefined && prompt !== undefined) issues.ignore(at, "prompt");
      return {
        type: task.type,
        functions: toFunctions(functions, `${at}/functions`, issues),
        ...(call !== undefined && { call }),
        ...(call === undefined && prompt !== undefined && { prompt }),
      };
    }
    default:
      return unreachable(task);
  }
}

type ReadGeneration = Extract<ReadTask, { type: "text_generation" }>["parameters"];

const toGeneration = ({ prompt, max_tokens, temperature, top_p, top_k, stop, stream, response_format }: ReadGeneration) => ({
  prompt,
  maxTokens: max_tokens,
  ...(temperature !== undefined && { temperature }),
  ...(top_p !== undefined && { topP: top_p }),
  ...(top_k !== undefined && { topK: top_k }),
  ...(stop !== undefined && { stop }),
  stream,
  responseFormat: response_format,
});

function canonicalTag(tag: string, at: string, issues: IssueCollector): string {
  // The placeholder of a member that is wrong already.
  if (tag === "") return tag;
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? tag;
  } catch {
    issues.add(at, "must be a BCP 47 language tag, such as en or zh-CN");
    return "";
  }
}

type ReadFunctions = NonNullable<Extract<ReadTask, { type: "function_call" }>["parameters"]["functions"]>;

function toFunctions(functions: ReadFunctions, at: string, issues: IssueCollector): FunctionDefinition[] {
  const names = new Set<string>();
  return functions.map(({ name, description, parameters }, i) => {
    if (name !== "" && names.has(name)) issues.add(`${at}/${i}/name`, "is the name of an earlier function too");
    names.add(name);
    if (parameters !== undefined && !issues.full) {
      if (parameters["type"] !== undefined && parameters["type"] !== "object") {
        issues.add(`${at}/${i}/parameters/type`, "must be object, which is what arguments are");
      }
      for (const { pointer, message } of schemaErrors(parameters, `${at}/${i}/parameters`)) issues.add(pointer, message);
    }
    return { name, ...(description !== undefined && { description }), ...(parameters !== undefined && { parameters }) };
  });
}

function toEnvelope(
  { request_id, model, context, control, auth }: ReadEnvelope,
  task: ControlTask,
  version: Version,
  issues: IssueCollector,
): Envelope {
  const { session_id: sessionId, history, system_prompt: systemPrompt, remember } = usedContext(context, task, issues);
  const { timeout = defaults.timeoutMs, priority = "normal", retryable = true, cache } = control ?? {};
  return {
    version,
    requestId: request_id,
    model: {
      name: model.name,
      // The newest is what a name alone means (source: section 2.2).
      ...(model.version !== undefined && model.version !== "latest" && { version: model.version }),
      ...(model.provider !== undefined && { provider: model.provider }),
    },
    task,
    context: {
      ...(sessionId !== undefined && { sessionId }),
      ...(history !== undefined && { history }),
      ...(systemPrompt !== undefined && { systemPrompt }),
      ...(remember !== undefined && { rememberSeconds: remember.ttl }),
    },
    control: { timeoutMs: timeout, priority, retryable, ...(cache?.enable === true && { cacheSeconds: cache.ttl }) },
    auth: {
      ...(auth?.api_key !== undefined && { apiKey: auth.api_key }),
      ...(auth?.token !== undefined && { token: auth.token }),
    },
    ignored: issues.ignored,
  };
}

type ReadContext = NonNullable<ReadEnvelope["context"]>;

/**
 * The members of the context that the task uses; the others are ignored and reported. Generation,
 * and a model that chooses among functions, use the conversation; only generation stores its turn.
 */
function usedContext(context: ReadContext | undefined, task: ControlTask, issues: IssueCollector): Partial<ReadContext> {
  const generates = task.type === "text_generation" || task.type === "multimodal_generation";
  const converses = generates || (task.type === "function_call" && task.call === undefined);
  const used = { session_id: true, history: converses, system_prompt: converses, remember: generates };
  return Object.fromEntries(
    Object.entries(context ?? {}).filter(([name, value]) => {
      const isUsed = used[name as keyof ReadContext];
      if (value !== undefined && !isUsed) issues.ignore("/context", name);
      return isUsed;
    }),
  );
}
