// The images Worker: one picture in, the one raster of it out. Apart from the gateway for the weight of its codecs, for their memory,
// and because what breaks in them breaks nothing else: docs/decisions/one-raster.md.

import { WorkerEntrypoint } from "cloudflare:workers";
import { type PlainAnswer, makePlain } from "./make-plain.ts";

export default class ImagesWorker extends WorkerEntrypoint {
  /** Nothing answers to HTTP: the Worker has no address, and where one is given to it, it serves nobody. */
  override fetch(): Response {
    return new Response(null, { status: 404 });
  }

  /** The picture, decoded and encoded again; or why it is not. The same bytes are answered with the same bytes. */
  plain(bytes: Uint8Array): Promise<PlainAnswer> {
    return makePlain(bytes);
  }
}
