// A Worker that does nothing, for comparison.

export default {
  fetch: (): Response => new Response("{}"),
};
