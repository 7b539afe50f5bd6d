// What of a server's entry says how its sampling is answered, for code that does not read the
// servers document (servers.ts). Imports nothing.

export type SamplingSettings = {
  /** Who answers: the gateway always, the client, or the gateway where the client cannot. */
  readonly mode: "fulfil" | "forward" | "fallback";
  /** Whether each is declared to the server. */
  readonly context: boolean;
  readonly tools: boolean;
  readonly tasks: boolean;
};
