// The benchmark's KV namespace in workerd's protocol: the callers' keys from a binding, and written
// values in memory.

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
