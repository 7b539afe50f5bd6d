// What each revision of the 2025 family has. Sources: the schema and the changelog of each
// revision.

export type Features = {
  /** Sampling may offer tools, and ask for context by a capability of its own. */
  readonly samplingTools: boolean;
  /** Sampling may run as a task. */
  readonly tasks: boolean;
  /** Requests over HTTP carry `MCP-Protocol-Version`. */
  readonly versionHeader: boolean;
  /** A stream may have events without a message, which only give an id to resume from. */
  readonly emptyEvents: boolean;
  /** A server may ask its client to open an address. */
  readonly urlElicitation: boolean;
};

const oldest: Features = { samplingTools: false, tasks: false, versionHeader: false, emptyEvents: false, urlElicitation: false };

export const features2025 = {
  "2024-11-05": oldest,
  "2025-03-26": oldest,
  "2025-06-18": { ...oldest, versionHeader: true },
  "2025-11-25": { samplingTools: true, tasks: true, versionHeader: true, emptyEvents: true, urlElicitation: true },
} as const satisfies Readonly<Record<string, Features>>;

/** The revisions that begin with `initialize`, oldest first. */
export const sessionRevisions: readonly string[] = Object.keys(features2025);

export type Revision2025 = keyof typeof features2025;
