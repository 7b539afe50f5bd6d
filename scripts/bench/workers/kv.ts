// The KV namespace of the benchmark, as workerd asks for one: the keys of the callers from a binding, and what is put, in memory.

const written = new Map<string, string>();

export default {
  async fetch(request: Request, env: { PUBLISHED: Record<string, string> }): Promise<Response> {
    const name = decodeURIComponent(new URL(request.url).pathname.slice(1));
    if (request.method === "PUT") {
      written.set(name, await request.text());
      return new Response(null, { status: 200 });
    }
    const copy = written.get(name) ?? env.PUBLISHED[name];
    return copy === undefined ? new Response(null, { status: 404 }) : new Response(copy);
  },
};
