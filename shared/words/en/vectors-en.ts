// How many vectors a reply has, in English: for pages, and for JSON.

export const vectorsEn = {
  none: "no vectors",
  alike: "{n, # vector/# vectors} of {most, # number/# numbers}",
  unlike: "{n, # vector/# vectors} of {least} to {most, # number/# numbers}",
} as const;
