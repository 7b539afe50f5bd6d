// What refuses a request where no rule of the policy does. The record has it in the rule's place.

export const ownRules = {
  noServer: "there is no such server",
  keyServers: "the key's servers",
  keyTools: "the key's tools",
  serverOrigins: "the server's origins",
  serverTools: "the server's tools",
  serverSamplingTools: "the server's samplingTools",
  definition: "the tool's definition is not accepted",
  tokenModels: "the models that a token may be for",
} as const;

const names = new Map(Object.entries(ownRules).map(([name, text]) => [text as string, name as keyof typeof ownRules])); // its own names

/** Which of them this is. Undefined: a rule that the policy names. */
export const ownRuleOf = (rule: string): keyof typeof ownRules | undefined => names.get(rule);
