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
  readonly called: number;
  readonly awake: number;
};

export const countedEntry = "bench/workers/counted-gateway.ts";

/** `mark`: from now on, count the run objects that are called and were awake. */
export async function countsOf({ port }: { readonly port: number }, mark = false): Promise<Counts> {
  const response = await fetch(`http://127.0.0.1:${port}/bench/counts${mark ? "?mark" : ""}`);
  return (await response.json()) as Counts; // written by counted-gateway.ts
}
