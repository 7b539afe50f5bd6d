// A failover hop: the first provider answers that it is overloaded, and the second is asked.

import { post } from "../load.ts";
import type { Settings } from "../options.ts";
import { portkey, toPortkey } from "../portkey.ts";
import type { Findings, Table } from "../report.ts";
import { type Rig, providerText } from "../rig.ts";
import { type Contender, compare } from "../rounds.ts";
import { configured, message, sampling } from "../sampling-load.ts";
import { withTools } from "../tools.ts";

const body = { model: "mock-1", max_tokens: 100, messages: [message] };

export async function failover(rig: Rig, settings: Settings): Promise<Findings> {
  const provider = await rig.provider();
  const url = `http://127.0.0.1:${provider.port}`;
  const forwarder = await rig.worker("forwarder", providerText(url));
  const pairs: (readonly Contender[])[] = [
    pair("Hono forwarder", { served: forwarder, request: post("/chat", body) }, { served: forwarder, request: post("/failover", body) }),
    ...(await withTools(settings, async () => {
      const served = await portkey(rig);
      const request = (headers: Record<string, string>): Buffer => post("/v1/chat/completions", body, headers);
      const both = {
        "x-portkey-config": JSON.stringify({ strategy: { mode: "fallback" }, targets: [target(`${url}/down`), target(url)] }),
      };
      return [pair("Portkey's gateway, on Node", { served, request: request(toPortkey(url)) }, { served, request: request(both) })];
    })),
    [
      { name: "Countersign `/sampling`, the first answers", served: await rig.gateway(configured(url)), request: sampling },
      { name: "Countersign `/sampling`, one hop", served: await rig.gateway(withFirstDown(url)), request: sampling },
    ],
  ];
  const tables: Table[] = [];
  // Each hop is compared with the same gateway without one.
  for (const contenders of pairs)
    tables.push(await compare(contenders, { title: "A failover hop", connectionCounts: settings.connections ?? [1, 16], settings }));
  const [table] = tables;
  return table === undefined ? { tables } : { tables: [{ ...table, rows: tables.flatMap(({ rows }) => rows) }] };
}

type Sent = { readonly served: Contender["served"]; readonly request: Buffer };

const pair = (name: string, direct: Sent, hop: Sent): Contender[] => [
  { name: `${name}, the first answers`, served: direct.served, request: () => direct.request },
  { name: `${name}, one hop`, served: hop.served, request: () => hop.request },
];

const target = (url: string): object => ({ provider: "openai", api_key: "k", custom_host: `${url}/v1` });

/** The same table with a model before it whose provider is overloaded. */
function withFirstDown(url: string): ReturnType<typeof configured> {
  const base = configured(url);
  const { providers, models } = base.documents["routing"] as { providers: object; models: readonly object[] };
  const down = { kind: "openai", baseUrl: `${url}/down/v1`, keyless: true, allowPrivate: true };
  const [model = {}] = models;
  const routing = { providers: { ...providers, down }, models: [{ ...model, id: "mock-down", provider: "down" }, ...models] };
  return { ...base, documents: { ...base.documents, routing } };
}
