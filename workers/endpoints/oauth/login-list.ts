// The servers where a person signs in themselves, and how it stands with each.

import { type LoginEntry, loginEntry } from "../../../shared/relay/login.ts";
import type { Server } from "../../../shared/relay/servers.ts";
import { lookupIn } from "../../platform/lookup.ts";
import { serversOf } from "../../stores/documents.ts";
import { loginStub } from "../../stubs/stubs.ts";
import type { AppContext } from "../app-context.ts";
import type { Reader } from "../inbox/reader.ts";
import type { LoginsInput } from "../../ui/inbox/logins.tsx";

type OwnServer = { readonly name: string; readonly auth: NonNullable<Server["auth"]>; readonly entry: LoginEntry };

/** The servers with `auth`, as the document has them now, for this reader's logins. */
async function ownServers(c: AppContext, { visitor }: Reader): Promise<OwnServer[]> {
  const { servers } = await serversOf(c.env, Date.now(), (work) => c.executionCtx.waitUntil(work));
  return Object.entries(servers).flatMap(([name, server]) =>
    server.auth === undefined ? [] : [{ name, auth: server.auth, entry: loginEntry(server, visitor.address, lookupIn(c.env)) }],
  );
}

/** The server of this name, where it has `auth`. */
export const ownServer = async (c: AppContext, reader: Reader, name: string | undefined): Promise<OwnServer | undefined> =>
  (await ownServers(c, reader)).find((each) => each.name === name);

export async function loginsOf(c: AppContext, reader: Reader): Promise<LoginsInput["list"]> {
  return Promise.all(
    (await ownServers(c, reader)).map(async ({ name, entry }) => {
      const status = await loginStub(c.env, reader.inbox, name).loginStatus(entry.binding);
      const { account = null, scope = null, endedAt = null } = status ?? {};
      return { server: name, state: status === null ? "none" : endedAt === null ? "connected" : "ended", account, scope, endedAt } as const;
    }),
  );
}
