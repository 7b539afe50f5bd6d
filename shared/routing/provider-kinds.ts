// The kinds of providers, and what the routing table knows of each. How one is called is in shared/provider/ and workers/providers/.

type KindFacts = {
  /** A part of the gateway: it needs no address and no credential, and its models stand in only while no other provider is ready. */
  readonly isBuiltIn: boolean;
  /** What its API does not support, whatever the table says; the text follows the pointer of the member that says otherwise. */
  readonly lacks: { readonly embedding?: string; readonly audio?: string };
};

/** The kinds that a routing table may name. */
const tableFacts = {
  anthropic: {
    isBuiltIn: false,
    lacks: {
      embedding: "includes embedding, which the Anthropic API does not support",
      audio: "includes audio, which the Anthropic API does not support",
    },
  },
  openai: { isBuiltIn: false, lacks: {} },
  demo: { isBuiltIn: true, lacks: {} },
} satisfies Readonly<Record<string, KindFacts>>;

type TableKind = keyof typeof tableFacts;

export const tableKinds = Object.keys(tableFacts) as TableKind[]; // its own names

/** Who runs models; `mcp` is in no table: an MCP server that runs a registered function (design: POST /control). */
export type ProviderKind = TableKind | "mcp";

const factsByKind: Readonly<Record<ProviderKind, KindFacts>> = { ...tableFacts, mcp: { isBuiltIn: false, lacks: {} } };

/** Whether a routing table may name the kind. */
export const isTableKind = (kind: ProviderKind): boolean => Object.hasOwn(tableFacts, kind);

export const isBuiltIn = (kind: ProviderKind): boolean => factsByKind[kind].isBuiltIn;

export const lackingOf = (kind: ProviderKind): KindFacts["lacks"] => factsByKind[kind].lacks;
