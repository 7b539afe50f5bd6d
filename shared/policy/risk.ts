// What a reviewer should look at twice, found without a model. Advice for people and a condition for rules; never a verdict.

export type RiskLevel = "low" | "medium" | "high";

/** `pointer` is a JSON pointer into the neutral request; `message` is one plain sentence without content from outside. */
export type RiskNote = { readonly level: RiskLevel; readonly kind: string; readonly pointer: string; readonly message: string };
