// The ids under which a session's server has calls whose results the policy masks, for as long as
// they run. Their clients cancel them by ids of their own: an isolate that has the call tells its
// server. A cancellation that comes to another isolate reaches no server, which may ignore one
// anyway (basic/utilities/cancellation).

import type { RequestId } from "../../../../shared/wire/json-rpc.ts";
import { isolateMap } from "../../../platform/isolate.ts";

/** By the session and the client's request. */
const ownIds = isolateMap<string, RequestId>();

/** What the client's request is called here. `call`: `callKey`. */
const nameOf = (session: string, call: string): string => JSON.stringify([session, call]);

export async function whileKnownAs<T>(
  id: RequestId,
  { session, call }: { session: string; call: string },
  work: () => Promise<T>,
): Promise<T> {
  const name = nameOf(session, call);
  ownIds.set(name, id);
  try {
    return await work();
  } finally {
    if (ownIds.get(name) === id) ownIds.delete(name);
  }
}

export const ownIdOf = (session: string, call: string): RequestId | undefined => ownIds.get(nameOf(session, call));
