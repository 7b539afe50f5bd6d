// The KV namespace of the benchmark, as workerd asks for one: documents from a binding, and the keys of the callers.

export default {
  fetch(request: Request, env: { DOCUMENTS: Record<string, unknown> }): Response {
    const name = decodeURIComponent(new URL(request.url).pathname.slice(1));
    const document = env.DOCUMENTS[name];
    return document === undefined ? new Response(null, { status: 404 }) : Response.json(document);
  },
};
