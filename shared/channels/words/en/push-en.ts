// The sentences of push notices that no other channel says, in English.

export const pushEn = {
  digest: "{n, # new review/# new reviews}",
  still: "Your inbox shows which of them still wait.",
} as const;
