// From which addresses images may be fetched. Nothing is fetched here.

import { isPrivateHost } from "../../address.ts";
import { err, ok, type Result } from "../../result.ts";

/** The parts of an address as the fetcher's URL parser has them; a `URL` is one. */
type AddressParts = {
  readonly protocol: string;
  readonly username: string;
  readonly password: string;
  readonly hostname: string;
  readonly port: string;
  readonly pathname: string;
  readonly search: string;
};

/** Why nothing is fetched from an address. */
export type AddressError = "noAddress" | "notHttps" | "credentials" | "port" | "literalAddress" | "notListed";

const longestAddress = 2_048;

/**
 * The address to fetch, without its fragment; or why none is fetched from it. Only `https`, without
 * user name and password, on the default port, from a host that is in `imageHosts` exactly as the
 * URL parser gives it (lower case, other alphabets in their ASCII form, a dot at the end is another
 * name), and never from a numeric address, even a listed one, which names no host.
 * @param parse the fetcher's URL parser; undefined for what is no absolute URL.
 */
export function judgeImageUrl(
  url: string,
  parse: (url: string) => AddressParts | undefined,
  imageHosts: readonly string[],
): Result<string, AddressError> {
  // White space, control characters and backslashes are what URL parsers drop or turn into
  // something else.
  if (url.length > longestAddress || /[\s\\\p{Cc}]/u.test(url)) return err("noAddress");
  const parts = parse(url);
  if (parts === undefined) return err("noAddress");
  const { protocol, username, password, hostname, port, pathname, search } = parts;
  if (protocol !== "https:") return err("notHttps");
  if (username !== "" || password !== "") return err("credentials");
  if (port !== "") return err("port");
  // The parser has turned every notation of an IPv4 address into one form.
  if (hostname.startsWith("[") || /(?:^|\.)(?:\d+|0x[0-9a-f]*)\.?$/i.test(hostname)) return err("literalAddress");
  if (isPrivateHost(hostname) || !imageHosts.includes(hostname)) return err("notListed");
  return ok(`https://${hostname}${pathname}${search}`);
}
