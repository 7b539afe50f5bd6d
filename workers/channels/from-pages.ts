// What the pages Worker makes for a channel, and what is logged where it does not answer.

import { errorClass, logEvent } from "../platform/log.ts";

/**
 * What it answers. Where it does not, this rejects: the notice is tried again, as when the
 * channel's own service does not answer.
 */
export async function fromPages<T>(making: PromiseLike<T>): Promise<T> {
  try {
    return await making;
  } catch (error) {
    logEvent("pages.failed", { error: errorClass(error) });
    throw error;
  }
}
