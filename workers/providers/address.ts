// Whether we may send requests to an address that configuration names. Judges the address as written; it resolves no names.

/**
 * Why this address is not used, as one plain sentence, or undefined where it may be. Without `allowPrivate` it must be https and
 * must not name this machine or a private network, in any form that a URL knows for it (dotted, decimal, hex or octal IPv4; IPv6
 * that holds an IPv4 address; names of local networks). A name that resolves to a private address is not found out here:
 * on Cloudflare's network it leads nowhere, and elsewhere the operator's own configuration chose it.
 */
export function refusedAddress(address: string, allowPrivate: boolean): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) return "The address is not an http or https URL.";
  if (url.username !== "" || url.password !== "") return "The address holds a user name or password.";
  if (allowPrivate) return undefined;
  if (url.protocol !== "https:") return "The address is not https.";
  return isPrivateHost(url.hostname) ? "The address is private or local." : undefined;
}

/** `host` as `URL.hostname` gives it: lower case, IPv4 dotted, IPv6 in brackets. */
function isPrivateHost(host: string): boolean {
  if (host.startsWith("[")) return isPrivateIpv6(host.slice(1, -1));
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return isPrivateIpv4(host.split(".").map(Number));
  const name = host.replace(/\.$/, "");
  return !name.includes(".") || localNames.some((local) => name.endsWith(local));
}

const localNames = [".localhost", ".local", ".internal", ".intranet", ".lan", ".home.arpa"];

/** Everything in IANA's special-purpose registry that is not globally reachable, and multicast. */
function isPrivateIpv4([a = 0, b = 0, c = 0]: readonly number[]): boolean {
  if (a === 0 || a === 10 || a === 127 || a >= 224) return true;
  if (a === 100) return b >= 64 && b < 128;
  if (a === 169) return b === 254;
  if (a === 172) return b >= 16 && b < 32;
  if (a === 192) return b === 168 || (b === 0 && (c === 0 || c === 2)) || (b === 88 && c === 99);
  if (a === 198) return b === 18 || b === 19 || (b === 51 && c === 100);
  return a === 203 && b === 0 && c === 113;
}

/** Public is only 2000::/3, without documentation and Teredo; 6to4 and NAT64 addresses are judged by the IPv4 address in them. */
function isPrivateIpv6(address: string): boolean {
  const [head = "", tail] = address.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const middle = Array.from({ length: 8 - left.length - right.length }, () => "0");
  const groups = [...left, ...middle, ...right].map((group) => Number.parseInt(group, 16));
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0] = groups;
  const ipv4 = (high: number, low: number): number[] => [high >> 8, high & 255, low >> 8];
  if (a === 0x64 && b === 0xff9b && c + d + e + f === 0) return isPrivateIpv4(ipv4(g, groups[7] ?? 0));
  if (a < 0x2000 || a > 0x3fff) return true;
  if (a === 0x2002) return isPrivateIpv4(ipv4(b, c));
  return a === 0x2001 && (b === 0 || b === 0xdb8);
}
