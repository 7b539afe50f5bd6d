// Why a model cannot answer, in simplified Chinese. The operator's API says it in English; a reason
// that is not here stays as it is.

const reasons: readonly (readonly [RegExp, string])[] = [
  [/^it is neither the requested model nor one of its equivalents$/, "既不是所请求的模型，也不是它的替代模型"],
  [/^its provider is not in the routing table$/, "它的提供商不在路由表中"],
  [/^it is not for this key$/, "不供此密钥使用"],
  [/^it is not for this server$/, "不供此服务器使用"],
  [/^it is disabled$/, "已停用"],
  [/^the demo model is used only while no other provider is ready/, "演示模型只在没有其他提供商就绪，或请求指名它时使用"],
  [/^it is not an embedding model$/, "不是嵌入模型"],
  [/^it is not a chat model$/, "不是对话模型"],
  [/^it does not accept text$/, "不接受文本"],
  [/^it does not accept image$/, "不接受图片"],
  [/^it does not accept audio$/, "不接受音频"],
  [/^it cannot use tools$/, "不能使用工具"],
  [/^it cannot be made to call a tool$/, "不能被要求调用工具"],
  [/^maxTokens is above its limit of (\d+)$/, "最大 token 数超过它的上限 $1"],
  [/^the request and maxTokens do not fit its context of (\d+) tokens$/, "请求和最大 token 数超出它的 $1 token 上下文"],
  [/^its provider has no address: the variable that holds it is not set$/, "提供商没有地址：保存地址的变量未设置"],
  [/^its provider has no credential$/, "提供商没有凭据"],
  [/^its provider's address is not an absolute http or https URL$/, "提供商的地址不是完整的 http 或 https URL"],
  [/^its provider's address carries a user name, a query or a fragment$/, "提供商的地址带有用户名、查询或片段"],
  [/^its provider's address is not https$/, "提供商的地址不是 https"],
  [/^its provider's address is private or loopback$/, "提供商的地址是私有或回环地址"],
];

export function reasonZh(reason: string): string {
  const [pattern, zh] = reasons.find(([each]) => each.test(reason)) ?? [];
  return pattern === undefined || zh === undefined ? reason : reason.replace(pattern, zh);
}
