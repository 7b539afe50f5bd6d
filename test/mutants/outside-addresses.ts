// Where we go out to: MCP servers, providers, image hosts, issuers. Nothing leads on, and nothing
// leads inside.

import type { Mutant } from "./mutant.ts";

const images = { file: "workers/media/envelope-images.ts", test: { file: "test/workers/media/envelope-images.test.ts" } };
const addresses = { file: "shared/address.ts", test: { file: "test/shared/routing/table.test.ts", only: "is private" } };

export const outsideMutants: readonly Mutant[] = [
  {
    name: "a server's redirect is not followed",
    file: "workers/mcp-client/ask-server.ts",
    from: 'redirect: "manual",\n',
    to: "",
    test: { file: "test/workers/contract/relay.test.ts", only: "is no redirect" },
  },
  {
    name: "a server's redirect is an error",
    file: "workers/mcp-client/ask-server.ts",
    from: "if (response.status >= 300 && response.status < 400) {",
    to: "if (response.status > 999) {",
    test: { file: "test/workers/contract/relay.test.ts", only: "is no redirect" },
  },
  {
    name: "a server's address is judged once more when it is asked",
    file: "workers/mcp-client/ask-server.ts",
    from: 'if (!server.allowPrivate && (isPrivateHost(hostname) || protocol !== "https:")) return err("unreachable");',
    to: "",
    test: { file: "test/workers/contract/relay.test.ts", only: "judged once more" },
  },
  {
    ...images,
    name: "an image's redirect is judged as the first address was",
    from: "if (!next.ok) return err(`redirects to an address that ${addressWords[next.error]}`);\n      address = next.value;",
    to: 'address = next.ok ? next.value : new URL(response.headers.get("Location") ?? "", address);',
  },
  {
    ...images,
    name: "an image's redirects are followed by hand",
    from: '{ redirect: "manual", headers: { Accept: "image/*" }, signal }',
    to: '{ headers: { Accept: "image/*" }, signal }',
  },
  {
    ...images,
    name: "an image is what it says that it is",
    from: "return imageType(said) === mimeType ? ok({ data: bytes.toBase64(), mimeType }) : err(otherType(mimeType));",
    to: "return ok({ data: bytes.toBase64(), mimeType });",
  },
  {
    ...images,
    name: "an image's bytes are bounded",
    from: "if (bytes === null) return err(tooLarge);\n  const mimeType",
    to: 'if (bytes === null) throw new Error("too large");\n  const mimeType',
  },
  {
    name: "a provider's redirect is not followed",
    file: "workers/providers/provider-fetch.ts",
    from: 'redirect: "manual", ',
    to: "",
    test: { file: "test/shared/provider/send.test.ts", only: "a redirect is a fault" },
  },
  {
    ...addresses,
    name: "an IPv6 address is judged by the IPv4 address that it carries",
    from: 'case "6to4":\n      return isPrivateIpv4(carries(2));',
    to: 'case "6to4":\n      return false;',
  },
  {
    ...addresses,
    name: "an address without a use is private",
    from: 'return !address.match(ipaddr.IPv6.parse("2000::"), 3);',
    to: "return false;",
  },
  {
    ...addresses,
    name: "more than a host is private",
    from: "if (url === null || url.href !== `http://${url.hostname}/`) return true;",
    to: "if (url === null) return true;",
  },
  {
    name: "an image's host is listed",
    file: "shared/wire/control/image-address.ts",
    from: 'if (isPrivateHost(hostname) || !imageHosts.includes(hostname)) return err("notListed");',
    to: 'if (isPrivateHost(hostname)) return err("notListed");',
    test: { file: "test/shared/wire/control/image-address.test.ts" },
  },
  {
    name: "an image's address is no number",
    file: "shared/wire/control/image-address.ts",
    from: 'if (hostname.startsWith("[") || /(?:^|\\.)(?:\\d+|0x[0-9a-f]*)\\.?$/i.test(hostname)) return err("literalAddress");',
    to: "",
    test: { file: "test/shared/wire/control/image-address.test.ts" },
  },
  {
    name: "issuers' keys are not redirected",
    file: "workers/credentials/issuer-keys.ts",
    from: 'redirect: "manual"',
    to: 'redirect: "follow"',
    test: { file: "test/workers/endpoints/control/control-auth.test.ts", only: "are not read from where a redirect" },
  },
];
