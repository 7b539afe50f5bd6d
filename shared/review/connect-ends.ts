// For how long a client is let in, as the person chooses.

/** `most`: as long as the operator allows. */
export type ConnectEnd = "unused" | "day" | "year" | "most";

/** What there is to choose from, the first unless they choose another. */
export const connectEnds = (mostDays: number | undefined): readonly ConnectEnd[] =>
  mostDays === undefined ? ["unused", "day", "year"] : mostDays > 1 ? ["most", "day"] : ["day"];
