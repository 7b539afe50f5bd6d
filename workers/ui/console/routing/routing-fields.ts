// The forms of a model and of a provider: their fields, and the words of each.

import * as z from "zod";
import { box } from "../../../../shared/json/form-fields.ts";
import { modelSchema, providerSchema, tableName } from "../../../../shared/routing/table.ts";
import { type FieldTexts, formOf } from "../fields.tsx";
import type { InLanguages } from "../page.ts";
import { routingWords } from "./routing-words.ts";

/** `place`: from 1. `standsInFor`: the hints of the table's equivalents that name it. */
const modelFormSchema = modelSchema.extend({ place: z.int().optional(), standsInFor: z.array(z.string()).optional() });
const providerFormSchema = providerSchema.in.extend({ name: tableName });

type ModelTexts = FieldTexts<z.infer<typeof modelFormSchema>>;
type ProviderTexts = FieldTexts<z.infer<typeof providerFormSchema>, "keyless">;

const optional = { hint: "Optional." };
const priceEn = {
  inputPerMTok: { label: "Input" },
  outputPerMTok: { label: "Output" },
  cachedInputPerMTok: { label: "Input from the cache", ...optional },
  cacheWritePerMTok: { label: "Written to the cache", ...optional },
};
const modelEn: ModelTexts = {
  id: { label: "Id", hint: "Unique in the table. Letters, digits and @ . _ : / -" },
  provider: { label: "Provider" },
  name: { label: "Name at the provider", hint: "Sent as the model of each call." },
  tasks: { label: "Tasks", options: routingWords.en.play.tasks },
  aliases: { label: "Aliases, one a line", hint: "Other names that a preferred model may match." },
  accepts: { label: "Accepts", options: routingWords.en.models.kinds },
  tools: { label: "Can call tools" },
  toolChoices: { label: "Tool choices that it takes", hint: "None checked: all of them.", options: "asWritten" },
  contextTokens: { label: "Context, tokens" },
  maxOutputTokens: { label: "Longest reply, tokens" },
  price: {
    ...priceEn,
    above: {
      inputTokens: { label: "Other prices from this many input tokens", ...optional },
      inputPerMTok: { label: "Input, then" },
      outputPerMTok: { label: "Output, then" },
      cachedInputPerMTok: { label: "Input from the cache, then", ...optional },
      cacheWritePerMTok: { label: "Written to the cache, then", ...optional },
    },
  },
  imageTokens: { label: "Most tokens of one image", ...optional },
  scores: { intelligence: { label: "Intelligence" }, speed: { label: "Speed" }, cost: { label: "Low cost (1 is free)" } },
  tokenField: { label: "Parameter for max tokens", options: "asWritten" },
  omits: { label: "Parameters that it refuses", options: "asWritten" },
  takes: { label: "Further parameters that it takes", options: "asWritten" },
  reasoningEffort: { label: "Reasoning effort", options: "asWritten" },
  thinking: { label: "Thinking (Anthropic)", options: "asWritten" },
  promptCache: { label: "Ask for the prompt cache (Anthropic)" },
  overLimit: { label: "A reply longer than max tokens is", options: { cut: "cut", refuse: "refused" } },
  metadataKeys: { label: "Metadata that is passed on, one name a line" },
  onlyKeys: { label: "Only these API keys, one a line", hint: "Ids or names. Empty: every key." },
  onlyServers: { label: "Only these MCP servers, one a line", hint: "Names. Empty: every server." },
  lane: {
    concurrency: { label: "Calls at once", ...optional },
    queue: { label: "Calls that may wait" },
    promoteAfterSeconds: { label: "Seconds until a waiting call goes first" },
  },
  enabled: { label: "Enabled" },
  place: { label: "Place in the table", hint: "From 1. It decides where no priority is given." },
  standsInFor: {
    label: "Stands in for, one a line",
    hint: "Parts of names of models that are not in the table. Behind the models that stand in for them already.",
  },
};

const optionalZh = { hint: "可选。" };
const priceZh = {
  inputPerMTok: { label: "输入" },
  outputPerMTok: { label: "输出" },
  cachedInputPerMTok: { label: "从缓存读取的输入", ...optionalZh },
  cacheWritePerMTok: { label: "写入缓存", ...optionalZh },
};
const modelZh: ModelTexts = {
  id: { label: "ID", hint: "在路由表中唯一。字母、数字和 @ . _ : / -" },
  provider: { label: "提供商" },
  name: { label: "在提供商处的名称", hint: "每次调用时作为模型名发送。" },
  tasks: { label: "任务", options: routingWords["zh-CN"].play.tasks },
  aliases: { label: "别名，每行一个", hint: "首选模型也可以匹配这些名称。" },
  accepts: { label: "接受", options: routingWords["zh-CN"].models.kinds },
  tools: { label: "可以调用工具" },
  toolChoices: { label: "支持的工具选择", hint: "不勾选表示全部支持。", options: "asWritten" },
  contextTokens: { label: "上下文 token 数" },
  maxOutputTokens: { label: "回复最大 token 数" },
  price: {
    ...priceZh,
    above: {
      inputTokens: { label: "从多少输入 token 起改用其他价格", ...optionalZh },
      inputPerMTok: { label: "之后的输入" },
      outputPerMTok: { label: "之后的输出" },
      cachedInputPerMTok: { label: "之后从缓存读取的输入", ...optionalZh },
      cacheWritePerMTok: { label: "之后写入缓存", ...optionalZh },
    },
  },
  imageTokens: { label: "每张图片最多 token 数", ...optionalZh },
  scores: { intelligence: { label: "智能" }, speed: { label: "速度" }, cost: { label: "低成本（1 为免费）" } },
  tokenField: { label: "最大 token 数的参数名", options: "asWritten" },
  omits: { label: "拒绝的参数", options: "asWritten" },
  takes: { label: "额外支持的参数", options: "asWritten" },
  reasoningEffort: { label: "推理强度", options: "asWritten" },
  thinking: { label: "思考（Anthropic）", options: "asWritten" },
  promptCache: { label: "请求提示缓存（Anthropic）" },
  overLimit: { label: "超过最大 token 数的回复", options: { cut: "截断", refuse: "拒绝" } },
  metadataKeys: { label: "转发的元数据，每行一个名称" },
  onlyKeys: { label: "仅限这些 API 密钥，每行一个", hint: "ID 或名称。留空表示所有密钥。" },
  onlyServers: { label: "仅限这些 MCP 服务器，每行一个", hint: "名称。留空表示所有服务器。" },
  lane: {
    concurrency: { label: "同时调用数", ...optionalZh },
    queue: { label: "可以等待的调用数" },
    promoteAfterSeconds: { label: "等待多少秒后优先" },
  },
  enabled: { label: "启用" },
  place: { label: "在路由表中的位置", hint: "从 1 开始。没有给出优先级时按此顺序。" },
  standsInFor: { label: "可替代，每行一个", hint: "路由表中没有的模型名称的一部分。排在已有的替代模型之后。" },
};

const providerEn: ProviderTexts = {
  name: { label: "Name" },
  kind: { label: "API", options: routingWords.en.providers.kinds },
  secret: {
    label: "Secret with the credential",
    hint: "The name of the Worker's secret, such as OPENAI_API_KEY. Never the credential itself.",
  },
  baseUrl: { label: "Address", hint: "Empty: the provider's own." },
  baseUrlFrom: { label: "Variable with the address", hint: "In the place of the address." },
  keyless: { label: "Needs no credential" },
  allowPrivate: { label: "May be a private address, and plain http" },
};
const providerZh: ProviderTexts = {
  name: { label: "名称" },
  kind: { label: "API", options: routingWords["zh-CN"].providers.kinds },
  secret: { label: "保存凭据的密钥名", hint: "Worker 密钥的名称，例如 OPENAI_API_KEY。切勿填写凭据本身。" },
  baseUrl: { label: "地址", hint: "留空表示提供商自己的地址。" },
  baseUrlFrom: { label: "保存地址的变量", hint: "代替地址。" },
  keyless: { label: "不需要凭据" },
  allowPrivate: { label: "可以是私有地址和普通 http" },
};

const fieldsOf = <T>(en: T, zh: T): InLanguages<{ readonly fields: T }> => ({ en: { fields: en }, "zh-CN": { fields: zh } });

export const modelForm = formOf(modelFormSchema, fieldsOf(modelEn, modelZh));
export const providerForm = formOf(providerFormSchema, fieldsOf(providerEn, providerZh), { keyless: box() });
