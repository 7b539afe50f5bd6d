// The Internet as the OAuth Worker of the tests reaches it: hosts that have clients' metadata
// documents, good ones and those that may not be believed. It runs in Node, beside the Worker.

/** What an address answers. */
type Page = { readonly body: string; readonly status?: number; readonly headers?: Readonly<Record<string, string>> };

/** Where a good client sends its users back to, and an attacker. */
export const documentRedirect = "https://client.example.com/callback";
export const evilRedirect = "https://evil.example.net/callback";

const json = { "Content-Type": "application/json" };
const documentAt = (url: string, more: object = {}) =>
  JSON.stringify({
    client_id: url,
    client_name: "Claude",
    redirect_uris: [documentRedirect],
    token_endpoint_auth_method: "none",
    grant_types: ["authorization_code", "refresh_token"],
    ...more,
  });
const evil = (url: string): string => documentAt(url, { redirect_uris: [evilRedirect] });

/** How often each address was read. */
const reads = new Map<string, number>();

/** What is at each path, of any host. `client_id`s that differ by their query are clients apart. */
const pages: Readonly<Record<string, (url: string, read: number) => Page>> = {
  "/client.json": (url) => ({ body: documentAt(url), headers: json }),
  "/special.json": (url) => ({ body: documentAt(url), headers: { "Content-Type": "application/client+json; charset=utf-8" } }),
  "/elsewhere.json": (url) => ({ body: evil(url), headers: json }),
  // Each time it has another name.
  "/counted.json": (url, read) => ({ body: documentAt(url, { client_name: `Read ${read}` }), headers: json }),
  "/cached.json": (url, read) => ({
    body: documentAt(url, { client_name: `Read ${read}` }),
    headers: { ...json, "Cache-Control": "max-age=600" },
  }),
  // A host that sends people on to wherever they ask: the document is an attacker's.
  "/open-redirect": (url) => ({
    body: "",
    status: 302,
    headers: { Location: `https://evil.example.net/copy?of=${encodeURIComponent(url)}` },
  }),
  "/copy": (url) => ({ body: evil(new URL(url).searchParams.get("of") ?? ""), headers: json }),
  "/inward": (url) => ({ body: "", status: 307, headers: { Location: `https://10.0.0.1/copy?of=${encodeURIComponent(url)}` } }),
  // A file that somebody left at a host that serves what it is given.
  "/upload.txt": (url) => ({ body: evil(url), headers: { "Content-Type": "text/plain" } }),
  "/page.html": (url) => ({ body: evil(url), headers: { "Content-Type": "text/html" } }),
  "/untyped": (url) => ({ body: evil(url), headers: { "Content-Type": "" } }),
  "/made.json": (url) => ({ body: evil(url), status: 201, headers: json }),
  "/large.json": (url) => ({ body: documentAt(url, { logo_uri: `https://client.example.com/${"x".repeat(6_000)}` }), headers: json }),
  "/other-id.json": () => ({ body: documentAt("https://client.example.com/client.json"), headers: json }),
  "/not-json.json": () => ({ body: "{", headers: json }),
  "/secret.json": (url) => ({ body: documentAt(url, { client_secret: "secret" }), headers: json }),
  "/shared-secret.json": (url) => ({ body: documentAt(url, { token_endpoint_auth_method: "client_secret_basic" }), headers: json }),
  "/no-redirects.json": (url) => ({ body: documentAt(url, { redirect_uris: [] }), headers: json }),
  "/script.json": (url) => ({ body: documentAt(url, { redirect_uris: ["javascript:alert(1)"] }), headers: json }),
};

/** Addresses that answer with a status alone. */
const down = new Map<string, number>();

/** `/stop?of=URL&status=503`, which is read as a document too, takes an address down; 200: up. */
export function clientHosts({ url }: { readonly url: string }): Page {
  const { pathname, searchParams } = new URL(url);
  const stopped = pathname === "/stop" ? searchParams.get("of") : null;
  if (stopped !== null) down.set(stopped, Number(searchParams.get("status")));
  const status = down.get(url);
  if (status !== undefined && status !== 200) return { body: "", status };
  const read = (reads.get(url) ?? 0) + 1;
  reads.set(url, read);
  return pages[pathname]?.(url, read) ?? { body: "", status: 404 };
}
