/** What a client may ask for by OAuth: to use the relay, and never to decide a review. */
export const relayScope = "mcp:use";
