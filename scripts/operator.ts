// The operator's requests of the scripts to a running gateway: notices with their links, and the
// default documents for a new store.

import { type Notice, openNotices } from "../client/review/notices.ts";

export type { Notice };

export type Operator = {
  /** Notices of pending reviews, oldest first. */
  readonly waiting: () => Promise<Notice[]>;
  /** The server and tool that a run is for, as one phrase. */
  readonly subjectOf: (run: string) => Promise<string>;
  /** The ids of the models that would answer a plain request, in their order. */
  readonly models: () => Promise<string[]>;
  /** The names of variables that the routing table and the servers document read. */
  readonly namedVariables: () => Promise<Set<string>>;
  /** The issues of /healthz, as sentences without their full stop. */
  readonly issues: () => Promise<string[]>;
  /**
   * Writes the default routing table, and the default policy with these rules, where none is
   * written yet. Returns the names of those written.
   */
  readonly seed: (rules?: readonly object[]) => Promise<string[]>;
  /** The servers document. */
  readonly servers: () => Promise<ServersDocument>;
  /** Writes an entry of the servers document, which is still the one that was read. */
  readonly putServer: (read: ServersDocument, name: string, entry: object) => Promise<void>;
};

export type ServersDocument = { readonly version: number; readonly servers: Readonly<Record<string, { readonly url?: string } & Named>> };

/** The members of a provider or server that name a variable. */
type Named = { readonly secret?: string; readonly baseUrlFrom?: string };

export function operatorOf(url: string, adminToken: string): Operator {
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(url + path, { ...init, headers: { Authorization: `Bearer ${adminToken}`, ...init.headers } });
    if (!response.ok) throw new Error(`${path}: the gateway answered ${response.status}`);
    return response;
  };
  const put = (name: string, version: number, document: object): Promise<Response> =>
    ask(`/admin/${name}`, {
      method: "PUT",
      body: JSON.stringify(document),
      headers: { "If-Match": String(version), "Content-Type": "application/json" },
    });
  const servers = async (): Promise<ServersDocument> => (await (await ask("/admin/servers")).json()) as ServersDocument;
  return {
    waiting: () => openNotices(url, adminToken),
    subjectOf: async (run) => {
      const { server, tool } = (await (await ask(`/admin/runs/${run}`)).json()) as { server: string | null; tool: string | null };
      return `${tool ?? "a request"} of the server ${server ?? "(unknown)"}`;
    },
    models: async () => {
      const answer = await ask("/admin/routing/explain", { method: "POST", body: "{}", headers: { "Content-Type": "application/json" } });
      const { ranked } = (await answer.json()) as { ranked: { model: string }[] };
      return ranked.map(({ model }) => model);
    },
    namedVariables: async () => {
      const { providers } = (await (await ask("/admin/routing")).json()) as { providers: Record<string, Named> };
      const named = [...Object.values(providers), ...Object.values((await servers()).servers)].flatMap(({ secret, baseUrlFrom }) => [
        secret,
        baseUrlFrom,
      ]);
      return new Set(named.filter((name) => name !== undefined));
    },
    issues: async () => {
      const { problems } = (await (await ask("/healthz")).json()) as { problems: string[] };
      return problems.map((issue) => issue.replace(/\.$/, ""));
    },
    seed: async (rules = []) => {
      const written: string[] = [];
      for (const name of ["routing", "policy"]) {
        const document = (await (await ask(`/admin/${name}`)).json()) as { version: number };
        if (document.version > 0) continue;
        await put(name, 0, name === "policy" ? { ...document, rules } : document);
        written.push(name);
      }
      return written;
    },
    servers,
    putServer: async (read, name, entry) =>
      void (await put("servers", read.version, { ...read, servers: { ...read.servers, [name]: entry } })),
  };
}
