// The images Worker: an image in, its one raster out. Apart from the gateway for its codecs' size
// and memory, and so that their crashes do not reach the gateway: docs/decisions/images.md.

import { WorkerEntrypoint } from "cloudflare:workers";
import { type PlainAnswer, makePlain } from "./make-plain.ts";

export default class ImagesWorker extends WorkerEntrypoint {
  /**
   * 404 to every HTTP request: the Worker should have no address, and serves nothing where it is
   * given one.
   */
  override fetch(): Response {
    return new Response(null, { status: 404 });
  }

  /**
   * The image decoded and encoded again, or why it is refused. The same bytes always give the same
   * result.
   */
  plain(bytes: Uint8Array): Promise<PlainAnswer> {
    return makePlain(bytes);
  }
}
