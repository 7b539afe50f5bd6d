// The gateway whose record goes to files of a folder in place of R2: the same Worker and objects.
// What the folder has is what a copy of the bucket would have. GET /bench/bucket says how often it
// was read and written; POST makes it refuse everything, or never answer ("refusing", "silent").

import gateway, * as classes from "../../workers/index.ts";

export * from "../../workers/index.ts";

const counts = { reads: 0, writes: 0 };
const folder = { state: "there" };
const silenceMs = 100;

async function whenThere(): Promise<void> {
  while (folder.state === "silent") await new Promise((resolve) => setTimeout(resolve, silenceMs));
  if (folder.state !== "there") throw new Error("the folder is away");
}

type Files = Pick<Fetcher, "fetch">;
type Env = ConstructorParameters<typeof classes.LedgerObject>[1] & { readonly BUCKET_FILES: Files };

const urlOf = (key: string): string => `http://bucket/${key}`;
/** The folder has no metadata; the record compresses bundles alone. */
const metadataOf = (key: string): object => (key.includes("/tile/entries/") ? { contentEncoding: "gzip" } : {});

/** What the record asks of R2. */
const bucketOf = (files: Files) => ({
  get: async (key: string) => {
    counts.reads += 1;
    await whenThere();
    const { ok, body } = await files.fetch(urlOf(key));
    return ok ? { body, httpMetadata: metadataOf(key) } : null;
  },
  put: async (key: string, value: BodyInit) => {
    counts.writes += 1;
    await whenThere();
    const { ok, status } = await files.fetch(urlOf(key), { method: "PUT", body: value });
    if (!ok) throw new Error(`the folder answered ${status}`);
  },
  delete: async (keys: string | readonly string[]) => {
    await whenThere();
    for (const key of [keys].flat()) await files.fetch(urlOf(key), { method: "DELETE" });
  },
});

export class LedgerObject extends classes.LedgerObject {
  override bucket = bucketOf((this.env as Env).BUCKET_FILES) as never; // as much of it as the record uses
}

export default {
  fetch: async (request: Request, env: Env, ctx: ExecutionContext): Promise<Response> => {
    if (new URL(request.url).pathname !== "/bench/bucket") return gateway.fetch(request, env, ctx);
    if (request.method === "POST") folder.state = await request.text();
    return Response.json(counts);
  },
};
