// Which gateway a subcommand asks.

import { Unasked } from "../subcommand.ts";

/** Whether the address is this machine's: nothing that is sent to it leaves the machine. */
export const isLocal = (url: URL): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\]|.*\.localhost)$/.test(url.hostname);

/**
 * A gateway's base address, without a slash at its end.
 * @param secret The name of what is sent along. It is sent over https, or to this machine.
 * @throws Unasked where it is no plain http or https address, or http to another machine.
 */
export function gatewayAddress(given: string, secret: string): string {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol) || url.search !== "" || url.hash !== "" || url.username !== "")
    throw new Unasked("the gateway's address must be a plain http or https address, such as https://gateway.example.com");
  if (url.protocol === "http:" && !isLocal(url))
    throw new Unasked(`the gateway's address must be https: ${secret} would be sent over http unencrypted`);
  return url.href.replace(/\/+$/, "");
}
