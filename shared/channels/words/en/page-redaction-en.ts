// What the review page says of parts that rules of the policy masked, in English.

export const pageRedactionEn = {
  redaction: {
    heading: "{n, # masked part/# masked parts}",
    /** Above the difference of a text. */
    byRule: "Masked by a rule of the policy:",
    /** {label}: what the rule took it for. {place}: its field. {rule}: the rule's name. */
    item: "{label} · {place} · rule {rule}",
    state: { masked: "masked", lifted: "lifted", edited: "its text was edited since" },
    original: "Show what is masked",
    lift: "Lift",
    hint: "Lifting makes a new version with the original text, and ends the approvals given so far. Nothing is sent until it is approved.",
  },
} as const;
