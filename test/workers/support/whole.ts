// Samples of long tests inside workerd: `npm test` runs the sample, and `npm run test:rest` the
// whole (test/rest/workers).

import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    isWhole?: boolean;
  }
}

/** `whole` where everything is run, else `sample`. */
export const wholeOr = <T>(whole: T, sample: T): T => (inject("isWhole") === true ? whole : sample);
