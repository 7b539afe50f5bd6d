// Tells whether a host, as `URL.hostname` has it, is the machine that asks: the operator's own,
// where the gateway runs without TLS. Reads the text only.

/**
 * Whether a browser reaches its own machine at a host, as `URL.hostname` has it: by any loopback
 * address, also one that is written as IPv6 (RFC 4291, 2.5.5), or by the unspecified address, which
 * operating systems take for it.
 */
export function isThisMachine(host: string): boolean {
  const name = host.replace(/\.$/, "");
  return isLoopbackHost(name) || name === "0.0.0.0" || /^\[::(?:1?|(?:ffff:)?7f[\da-f]{2}:[\da-f]{1,4}|ffff:0:[01])\]$/.test(name);
}

/** A loopback host, as `URL.hostname` has it: the only one that may be reached without TLS. */
export const isLoopbackHost = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || /^127(\.\d{1,3}){3}$/.test(host) || host === "[::1]";
