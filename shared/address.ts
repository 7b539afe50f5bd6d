// Tells whether the host of a base URL, as written, is inside: loopback, private, link-local or
// reserved. It reads the text only and resolves nothing, so a public name that points inward is not
// found here. Which address is for what, `ipaddr.js` knows.

import ipaddr from "ipaddr.js";

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

/**
 * True where `host` (as in a URL: a name, an IPv4 address, or an IPv6 address in brackets) is not a
 * public one. It is read as URL parsers read it, which turn `2130706433`, `0x7f.1` and `127.1` into
 * IPv4 addresses. What they cannot read, or read as more than a host, counts as private: when
 * unsure, the answer is no.
 */
export function isPrivateHost(host: string): boolean {
  // Not `URL.parse`, which the client's Node 20 lacks.
  const url = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : null;
  if (url === null || url.href !== `http://${url.hostname}/`) return true;
  const name = url.hostname.replace(/\.$/, "");
  if (name.startsWith("[")) return isPrivateIpv6(ipaddr.IPv6.parse(name.slice(1, -1)));
  if (ipaddr.IPv4.isValid(name)) return isPrivateIpv4(ipaddr.IPv4.parse(name));
  const labels = name.split(".");
  if (labels.length === 1 || labels.includes("")) return true;
  return (
    ["localhost", "local", "localdomain", "internal", "intranet", "lan", "home", "corp", "test", "invalid"].includes(labels.at(-1) ?? "") ||
    name.endsWith(".home.arpa")
  );
}

const isPrivateIpv4 = (address: ipaddr.IPv4): boolean => address.range() !== "unicast";

function isPrivateIpv6(address: ipaddr.IPv6): boolean {
  const bytes = address.toByteArray();
  const carries = (from: number): ipaddr.IPv4 => new ipaddr.IPv4(bytes.slice(from, from + 4));
  switch (address.range()) {
    case "unicast":
      // The library's word for what has no special use; only 2000::/3 is given out (RFC 4291).
      return !address.match(ipaddr.IPv6.parse("2000::"), 3);
    case "ipv4Mapped":
      return isPrivateIpv4(carries(12));
    case "rfc6052":
      // 64:ff9b:1::/48 is a network's own (RFC 8215).
      return !address.match(ipaddr.IPv6.parse("64:ff9b::"), 96) || isPrivateIpv4(carries(12));
    case "6to4":
      return isPrivateIpv4(carries(2));
    default:
      return true;
  }
}
