// Billed operations of a gateway whose Worker is workers/counted-gateway.ts.

export type Counts = {
  readonly workerRequests: number;
  readonly objectRequests: number;
  readonly alarms: number;
  readonly rowsRead: number;
  readonly rowsWritten: number;
  readonly kvReads: number;
  readonly kvWrites: number;
  readonly objectMs: number;
  readonly made: Readonly<Record<string, number>>;
};

export const countedEntry = "scripts/bench/workers/counted-gateway.ts";

export async function countsOf({ port }: { readonly port: number }): Promise<Counts> {
  const response = await fetch(`http://127.0.0.1:${port}/bench/counts`);
  return (await response.json()) as Counts; // written by counted-gateway.ts
}
