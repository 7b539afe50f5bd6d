// Ends a script's processes when the script is stopped: by Ctrl-C, a closed terminal or a plain
// kill.

/**
 * Calls `end` on the first signal, and once more with "kill" on a second one, then exits with this
 * code.
 * @returns a signal that says that the script is being stopped.
 */
export function stopOnSignals(code: number, end: (how: "gently" | "kill") => Promise<void> | undefined): AbortSignal {
  const stopping = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => {
      const how = stopping.signal.aborted ? "kill" : "gently";
      stopping.abort();
      void Promise.resolve(end(how)).finally(() => process.exit(code));
    });
  }
  return stopping.signal;
}
