// The gateway whose record goes to files of a folder in place of R2: the same Worker and objects.
// What the folder has is what a copy of the bucket would have. GET /bench/bucket says how often it
// was read and written.

import gateway, * as classes from "../../workers/index.ts";

export * from "../../workers/index.ts";

const counts = { reads: 0, writes: 0 };

type Files = Pick<Fetcher, "fetch">;
type Env = ConstructorParameters<typeof classes.LedgerObject>[1] & { readonly BUCKET_FILES: Files };

const urlOf = (key: string): string => `http://bucket/${key}`;
/** The folder has no metadata; the record compresses bundles alone. */
const metadataOf = (key: string): object => (key.includes("/tile/entries/") ? { contentEncoding: "gzip" } : {});

/** What the record asks of R2. */
const bucketOf = (files: Files) => ({
  get: async (key: string) => {
    counts.reads += 1;
    const { ok, body } = await files.fetch(urlOf(key));
    return ok ? { body, httpMetadata: metadataOf(key) } : null;
  },
  put: async (key: string, value: BodyInit) => {
    counts.writes += 1;
    const { ok, status } = await files.fetch(urlOf(key), { method: "PUT", body: value });
    if (!ok) throw new Error(`the folder answered ${status}`);
  },
  delete: async (keys: string | readonly string[]) => {
    for (const key of [keys].flat()) await files.fetch(urlOf(key), { method: "DELETE" });
  },
});

export class LedgerObject extends classes.LedgerObject {
  override bucket = bucketOf((this.env as Env).BUCKET_FILES) as never; // as much of it as the record uses
}

export default {
  fetch: (request: Request, env: Env, ctx: ExecutionContext): Response | Promise<Response> =>
    new URL(request.url).pathname === "/bench/bucket" ? Response.json(counts) : gateway.fetch(request, env, ctx),
};
