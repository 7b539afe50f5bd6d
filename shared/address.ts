// Tells whether the host of a base URL, as written, is inside: loopback, private, link-local or
// reserved. It reads the text only and resolves nothing, so a public name that points inward is not
// found here.

/** The parts of an absolute http or https URL that decide where it leads. */
type BaseUrl = { readonly scheme: "http" | "https"; readonly host: string; readonly extras: boolean };

/**
 * Splits an absolute http(s) URL; undefined for anything else. `extras` is true where it carries
 * user information, a query or a fragment. Refused: a backslash, white space or a control
 * character, which URL parsers read differently, and a host that is not plain ASCII, which a parser
 * turns into another host.
 */
export function readBaseUrl(url: string): BaseUrl | undefined {
  const match = /^(https?):\/\/([^/?#]*)([^?#]*)([?#].*)?$/i.exec(url);
  if (match === null || /[\s\\\p{Cc}]/u.test(url)) return undefined;
  const authority = match[2] ?? "";
  const at = authority.lastIndexOf("@");
  const hostAndPort = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i.exec(authority.slice(at + 1));
  const host = hostAndPort?.[1]?.toLowerCase();
  if (host === undefined) return undefined;
  return { scheme: match[1]?.toLowerCase() === "https" ? "https" : "http", host, extras: at >= 0 || match[4] !== undefined };
}

/** RFC 1122, 1918, 3927, 5735, 5737, 6598 and the multicast and reserved space above 224. */
const insideIpv4: readonly (readonly [number, number])[] = [
  [0x00000000, 8],
  [0x0a000000, 8],
  [0x64400000, 10],
  [0x7f000000, 8],
  [0xa9fe0000, 16],
  [0xac100000, 12],
  [0xc0000000, 24],
  [0xc0000200, 24],
  [0xc0a80000, 16],
  [0xc6120000, 15],
  [0xc6336400, 24],
  [0xcb007100, 24],
  [0xe0000000, 3],
];

/**
 * True where `host` (as in a URL: a name, an IPv4 address, or an IPv6 address in brackets) is not a
 * public one. Numeric forms that URL parsers turn into IPv4 (`2130706433`, `0x7f.1`, `127.1`) are
 * read as they read them. What looks like an address and is not one counts as private: when unsure,
 * the answer is no.
 */
export function isPrivateHost(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  if (name.startsWith("[")) return isPrivateIpv6(name.slice(1, -1));
  const labels = name.split(".");
  const last = labels.at(-1) ?? "";
  if (/^(?:\d+|0x[0-9a-f]*)$/.test(last)) {
    const address = ipv4Of(labels);
    return address === undefined || isPrivateIpv4(address);
  }
  if (labels.length === 1 || labels.includes("")) return true;
  return (
    ["localhost", "local", "localdomain", "internal", "intranet", "lan", "home", "corp", "test", "invalid"].includes(last) ||
    name.endsWith(".home.arpa")
  );
}

/**
 * The WHATWG URL Standard's reading of a host that ends in a number: one to four parts, decimal,
 * octal or hexadecimal.
 */
function ipv4Of(parts: readonly string[]): number | undefined {
  if (parts.length > 4) return undefined;
  let address = 0;
  for (const [index, part] of parts.entries()) {
    const number = /^0x[0-9a-f]*$/.test(part)
      ? Number.parseInt(part.slice(2) || "0", 16)
      : /^0[0-7]*$/.test(part)
        ? Number.parseInt(part, 8)
        : /^[1-9]\d*$/.test(part)
          ? Number(part)
          : Number.NaN;
    const lastPart = index === parts.length - 1;
    const room = lastPart ? 256 ** (5 - parts.length) : 256;
    if (!(number < room)) return undefined;
    address += lastPart ? number : number * 256 ** (3 - index);
  }
  return address;
}

const isPrivateIpv4 = (address: number): boolean =>
  insideIpv4.some(([base, bits]) => Math.floor(address / 2 ** (32 - bits)) === Math.floor(base / 2 ** (32 - bits)));

function isPrivateIpv6(text: string): boolean {
  const groups = ipv6Groups(text);
  if (groups === undefined) return true;
  const first = groups[0] ?? 0;
  const embedded = (groups[6] ?? 0) * 65536 + (groups[7] ?? 0);
  // ::, ::1, IPv4-compatible and IPv4-mapped (RFC 4291), and the well-known NAT64 prefix (RFC
  // 6052).
  if (groups.slice(0, 5).every((group) => group === 0)) return groups[5] === 0xffff ? isPrivateIpv4(embedded) : true;
  if (first === 0x64 && groups[1] === 0xff9b) return isPrivateIpv4(embedded);
  // Only 2000::/3 is global unicast; 2001:db8::/32 is documentation and 2002::/16 carries an IPv4
  // address.
  if (first < 0x2000 || first > 0x3fff) return true;
  if (first === 0x2001 && groups[1] === 0xdb8) return true;
  return first === 0x2002 && isPrivateIpv4((groups[1] ?? 0) * 65536 + (groups[2] ?? 0));
}

function ipv6Groups(text: string): number[] | undefined {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  let hex = text;
  if (dotted !== null) {
    const bytes = dotted.slice(2).map(Number);
    if (bytes.some((byte) => byte > 255)) return undefined;
    const [a = 0, b = 0, c = 0, d = 0] = bytes;
    hex = `${dotted[1] ?? ""}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  }
  const halves = hex.split("::");
  if (halves.length > 2) return undefined;
  const [head = "", tail] = halves;
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const missing = 8 - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...before, ...Array.from({ length: missing }, () => "0"), ...after];
  return groups.every((group) => /^[0-9a-f]{1,4}$/.test(group)) ? groups.map((group) => Number.parseInt(group, 16)) : undefined;
}

/**
 * Whether a browser reaches its own machine at a host, as `URL.hostname` has it: by any loopback
 * address, also one that is written as IPv6 (RFC 4291, 2.5.5), or by the unspecified address, which
 * operating systems take for it.
 */
export function isThisMachine(host: string): boolean {
  const name = host.replace(/\.$/, "");
  if (isLoopbackHost(name) || name === "0.0.0.0") return true;
  const groups = name.startsWith("[") ? ipv6Groups(name.slice(1, -1)) : undefined;
  if (groups === undefined || groups.slice(0, 5).some((group) => group !== 0)) return false;
  const [fifth = 0, high = 0, low = 0] = groups.slice(5);
  const isUnspecifiedOrLoopback = high === 0 && low <= 1;
  return (fifth === 0 || fifth === 0xffff) && (isUnspecifiedOrLoopback || high >> 8 === 127);
}

/** A loopback host, as `URL.hostname` has it: the only one that may be reached without TLS. */
export const isLoopbackHost = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || /^127(\.\d{1,3}){3}$/.test(host) || host === "[::1]";
