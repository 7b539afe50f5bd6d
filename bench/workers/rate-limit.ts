// The benchmark's rate limit binding, as wrangler.toml sets it: 300 in a minute for each key.
// workerd itself has none.

import { WorkerEntrypoint } from "cloudflare:workers";

const most = 300;
const periodMs = 60_000;
const counts = new Map<string, number>();
let since = 0;

export default class extends WorkerEntrypoint {
  limit({ key }: { readonly key: string }): { success: boolean } {
    const now = Date.now();
    if (now - since > periodMs) {
      counts.clear();
      since = now;
    }
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return { success: count <= most };
  }
}
