// Whether a program can listen on a port of this machine.

import { createServer } from "node:net";

/** Why no program can listen on this local port; null where it is free. */
export async function portError(port: number): Promise<"in use" | "not allowed" | null> {
  // Both loopback addresses: a server on one of them would answer in place of the gateway.
  for (const address of ["127.0.0.1", "::1"]) {
    const code = await new Promise<string | null>((resolve) => {
      const server = createServer();
      server.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "unknown"));
      server.listen(port, address, () => server.close(() => resolve(null)));
    });
    if (code === "EACCES") return "not allowed";
    if (code === "EADDRINUSE") return "in use";
  }
  return null;
}
