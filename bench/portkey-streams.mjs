// Loaded before Portkey's gateway 1.15.2: on Node it answers every streamed request with 500
// ("TypeError: immutable"), because it writes to the headers of the provider's response. They can
// be written here.

const fetchUnchanged = globalThis.fetch;
globalThis.fetch = async (...request) => {
  const { body, status, statusText, headers } = await fetchUnchanged(...request);
  return new Response(body, { status, statusText, headers: new Headers(headers) });
};
