// For how long a client is let in, as the person chooses.

/** The first is chosen where nothing else is. */
export const connectEnds = ["unused", "day", "year"] as const;
export type ConnectEnd = (typeof connectEnds)[number];
