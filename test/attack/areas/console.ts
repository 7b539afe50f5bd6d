// The console: people who are no operators reaching for its pages and forms, other sites' pages
// using an operator's browser, and what outsiders wrote standing on its pages.

import { expect } from "vitest";
import { type Area, type Attack, eachOf } from "../attack.ts";
import { type Answer, type World, secrets } from "../world.ts";

const formType = "application/x-www-form-urlencoded";
const own = { "Content-Type": formType, "Sec-Fetch-Site": "same-origin" };
const form = (fields: Readonly<Record<string, string>>): string => new URLSearchParams(fields).toString();
const tokenIn = (text: string): string => /name="session" value="([^"]+)"/.exec(text)?.[1] ?? "";

/** By a session's cookie, the path of the pages that it is for. */
const homes = new Map<string, string>();
const at = (path: string, cookie: string): string => path.replace(/^\/console(?!\/~)/, homes.get(cookie) ?? "/console");

const page = (world: World, path: string, cookie: string): Promise<Answer> =>
  world.ask(at(path, cookie), { method: "GET", key: null, headers: cookie === "" ? {} : { Cookie: cookie } });

async function signIn(world: World, token: string, more: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const session = tokenIn((await page(world, "/console", "")).text);
  return world.ask("/console/sign-in", { method: "POST", key: null, headers: own, body: form({ session, token, ...more }) });
}

const cookieIn = ({ headers }: Answer): string => (headers.get("Set-Cookie") ?? "").split(";")[0] ?? "";

/** The cookie of an operator who is signed in. */
async function signedIn(world: World): Promise<string> {
  const answer = await signIn(world, secrets.admin);
  const cookie = cookieIn(answer);
  homes.set(cookie, answer.headers.get("Location") ?? "");
  expect(cookie, "the operator could not sign in: the attack shows nothing").not.toBe("");
  return cookie;
}

const stopsNow = async (world: World): Promise<unknown> => (await world.admin("/stops")).json;

/** Sends a form of the kill switch, which must do nothing. */
async function mustNotStop(world: World, cookie: string, asking: Parameters<World["ask"]>[1]): Promise<void> {
  const answer = await world.ask(at("/console/stops", cookie), { method: "POST", key: null, ...asking });
  expect(answer.status, "the status").toBeGreaterThanOrEqual(400);
  expect(await stopsNow(world), "what is stopped").toEqual({ stops: [] });
}

const outside = eachOf(
  ["", "/requests", "/keys", "/policy", "/record", "/stops", "/download/record", "/documents/policy", "/requests/run_x"] as const,
  (path) => ({
    name: `nobody sees /console${path} without signing in`,
    run: async (world) => {
      for (const cookie of ["", "countersign-console=x", `countersign-console=${secrets.admin}`, `countersign-session=${"A".repeat(90)}`]) {
        const { status, text, headers } = await page(world, `/console${path}`, cookie);
        expect(status, "the status").toBe(401);
        expect(text, "it is not the page to sign in").toContain('name="token"');
        expect(headers.get("Set-Cookie"), "the cookie").toBe(null);
        expect(headers.get("Content-Security-Policy") ?? "", "it may be framed").toContain("frame-ancestors 'none'");
      }
      const asKey = await world.ask(`/console${path}`, { key: world.ann.key });
      expect(asKey.status, "the status for an API key").toBe(401);
      const asToken = await world.ask(`/console${path}`, { key: secrets.admin });
      expect(asToken.status, "the status for the admin token in a header").toBe(401);
    },
  }),
);

const guesses: Attack = {
  name: "nobody signs in with another token than the admin token",
  run: async (world) => {
    const { admin, dev, link } = secrets;
    for (const token of [
      "",
      " ",
      admin.slice(0, -1),
      `${admin}0`,
      admin.toUpperCase(),
      `Bearer ${admin}`,
      `${admin}\0`,
      dev,
      link,
      world.ann.key,
    ]) {
      const answer = await signIn(world, token);
      expect(answer.status, `${JSON.stringify(token)}: the status`).toBe(403);
      expect(answer.headers.get("Set-Cookie"), "the cookie").toBe(null);
      if (token.length > 3) expect(answer.text, "the page").not.toContain(token);
    }
  },
};

const elsewhere: Attack = {
  name: "signing in leads to no other place than the console",
  run: async (world) => {
    for (const to of [
      "//evil.example",
      "https://evil.example/x",
      "/\\evil.example",
      "..",
      "../r/x",
      "%2e%2e/r/x",
      "a\r\nX: y",
      "sign-out",
      "javascript:1",
    ])
      expect((await signIn(world, secrets.admin, { to })).headers.get("Location") ?? "", `it leads elsewhere: ${to}`).toMatch(
        /^\/console\/~[\w-]+$/,
      );
  },
};

const changed: Attack = {
  name: "a session's cookie that was changed anywhere is nobody's",
  run: async (world) => {
    const cookie = await signedIn(world);
    expect((await page(world, "/console/stops", cookie)).status, "the status with the cookie itself").toBe(200);
    for (let i = "countersign-console=".length; i < cookie.length; i += 5) {
      const other = `${cookie.slice(0, i)}${cookie[i] === "A" ? "B" : "A"}${cookie.slice(i + 1)}`;
      expect((await page(world, at("/console/stops", cookie), other)).status, `the status with another letter at ${i}`).toBe(401);
    }
  },
};

const port: Attack = {
  name: "a session's cookie, which a browser sends to every port, is nobody's without the address of its pages",
  run: async (world) => {
    const [cookie, other] = [await signedIn(world), await signedIn(world)];
    const headers = { ...own, Cookie: cookie };
    const session = tokenIn((await page(world, "/console/stops", cookie)).text);
    for (const home of ["/console", "/console/~", `/console/~${"A".repeat(22)}`, homes.get(other) ?? ""]) {
      const answer = await world.ask(`${home}/stops`, { key: null, headers });
      expect(answer.status >= 400 && !answer.text.includes('name="kind"'), `${home}: the status is ${answer.status}`).toBe(true);
      const body = form({ session, kind: "everything" });
      expect(
        (await world.ask(`${home}/stops`, { method: "POST", key: null, headers, body })).status,
        `${home}: the form was taken`,
      ).toBeGreaterThanOrEqual(400);
    }
    expect(await stopsNow(world), "what is stopped").toEqual({ stops: [] });
  },
};

const over: Attack = {
  name: "a session that was signed out is over, for its pages and for its forms",
  run: async (world) => {
    const cookie = await signedIn(world);
    const session = tokenIn((await page(world, "/console/stops", cookie)).text);
    const headers = { ...own, Cookie: cookie };
    await world.ask(at("/console/sign-out", cookie), { method: "POST", key: null, headers, body: form({ session }) });
    expect((await page(world, "/console/stops", cookie)).status, "the status of a page").toBe(401);
    await mustNotStop(world, cookie, { headers, body: form({ session, kind: "everything" }) });
  },
};

const otherSites = eachOf(
  [
    ["with Sec-Fetch-Site: cross-site", { "Content-Type": formType, "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" }],
    ["with Sec-Fetch-Site: same-site", { "Content-Type": formType, "Sec-Fetch-Site": "same-site" }],
    ["with Sec-Fetch-Site: none", { "Content-Type": formType, "Sec-Fetch-Site": "none" }],
    ["with an Origin of its own", { "Content-Type": formType, Origin: "https://evil.example" }],
    ["with Origin: null", { "Content-Type": formType, Origin: "null" }],
    ["without an Origin", { "Content-Type": formType }],
    ["as plain text", { "Content-Type": "text/plain", "Sec-Fetch-Site": "same-origin" }],
    ["as multipart", { "Content-Type": "multipart/form-data; boundary=x", "Sec-Fetch-Site": "same-origin" }],
    ["as JSON", { "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin" }],
  ] as const,
  ([name, headers]) => ({
    name: `another site's form ${name} does nothing, although the browser is signed in and the form's token is right`,
    run: async (world) => {
      const cookie = await signedIn(world);
      const session = tokenIn((await page(world, "/console/stops", cookie)).text);
      await mustNotStop(world, cookie, { headers: { ...headers, Cookie: cookie }, body: form({ session, kind: "everything" }) });
    },
  }),
);

const formTokens: Attack = {
  name: "a form does nothing without its session's own token",
  run: async (world) => {
    const [cookie, other] = [await signedIn(world), await signedIn(world)];
    const others = tokenIn((await page(world, "/console/stops", other)).text);
    const signInToken = tokenIn((await page(world, "/console", "")).text);
    for (const session of ["", "x", others, signInToken, "A".repeat(22)])
      await mustNotStop(world, cookie, { headers: { ...own, Cookie: cookie }, body: form({ session, kind: "everything" }) });
    await mustNotStop(world, cookie, { headers: { ...own, Cookie: cookie }, body: "kind=everything" });
  },
};

const gets: Attack = {
  name: "a GET with a form's fields changes nothing",
  run: async (world) => {
    const cookie = await signedIn(world);
    const session = tokenIn((await page(world, "/console/stops", cookie)).text);
    await page(world, `/console/stops?${form({ session, kind: "everything" })}`, cookie);
    await page(world, `/console/sign-out?${form({ session, everywhere: "yes" })}`, cookie);
    expect(await stopsNow(world), "what is stopped").toEqual({ stops: [] });
    expect((await page(world, "/console/stops", cookie)).status, "the status afterwards").toBe(200);
  },
};

const beyond: Attack = {
  name: "a form of the console reaches nothing but the operator's API",
  run: async (world) => {
    const cookie = await signedIn(world);
    const session = tokenIn((await page(world, "/console/stops", cookie)).text);
    const { id } = await world.newKey();
    for (const resume of [
      `../keys/${id}`,
      `x/../../keys/${id}`,
      `%2e%2e/keys/${id}`,
      `..\\keys\\${id}`,
      "..%2f..%2fsampling",
      "//evil.example/x",
      "\\..\\x",
      "?x",
      "#x",
    ]) {
      const answer = await world.ask(at("/console/stops", cookie), {
        method: "POST",
        key: null,
        headers: { ...own, Cookie: cookie },
        body: form({ session, resume }),
      });
      expect(answer.status >= 400 && answer.status < 500, `${resume}: the status is ${answer.status}`).toBe(true);
    }
    const { keys } = (await world.admin("/keys")).json as {
      readonly keys: readonly { readonly id: string; readonly revokedAt: string | null }[];
    }; // the contract's
    expect(
      keys.some((key) => key.id === id && key.revokedAt === null),
      "the kill switch's form revoked a key",
    ).toBe(true);
    await world.admin(`/keys/${id}`, { method: "DELETE" });
  },
};

/** Marks that would run, or break out of where they stand. */
const hostile = `"><script>parent.x=1</script><img src=x onerror=x=1>'&amp;{{x}}\u202e`;

/** Every page of the console that one page leads to, and those pages' pages. */
async function crawl(world: World, cookie: string): Promise<Map<string, Answer>> {
  const seen = new Map<string, Answer>();
  const open = ["/console"];
  for (let path = open.pop(); path !== undefined && seen.size < 120; path = open.pop()) {
    if (seen.has(path)) continue;
    const answer = await page(world, path, cookie);
    seen.set(path, answer);
    for (const [, href = ""] of answer.text.matchAll(/href="(\/console[^"#]*)"/g)) open.unshift(href.replaceAll("&amp;", "&"));
  }
  return seen;
}

/**
 * A file has what clients sent, as it is: nothing but a program that saves it may do anything with
 * it.
 */
function mustBeFile(path: string, headers: Headers): void {
  expect(headers.get("Content-Type") ?? "", `${path}: it is ${headers.get("Content-Type")}`).toMatch(
    /^(?:application\/x-ndjson|text\/csv)\b/,
  );
  expect((headers.get("Content-Disposition") ?? "").startsWith("attachment;"), `${path}: it is not saved as a file`).toBe(true);
  expect(headers.get("X-Content-Type-Options"), `${path}: X-Content-Type-Options`).toBe("nosniff");
  expect(headers.get("Content-Security-Policy"), `${path}: the policy`).toBe("default-src 'none'; sandbox");
}

const scripts: Attack = {
  name: "names of servers, tools, keys, models and reviewers stand on no page of the console as markup, and every page refuses scripts and frames",
  run: async (world) => {
    const { key, id } = await world.newKey({ name: hostile.slice(0, 60), owner: "Ada" });
    await world.ask("/sampling", {
      key,
      // A person would have to decide: it waits, and ends with its key.
      headers: { Prefer: "respond-async" },
      body: {
        jsonrpc: "2.0",
        id: hostile,
        method: "sampling/createMessage",
        params: {
          messages: [{ role: "user", content: { type: "text", text: hostile } }],
          maxTokens: 10,
          modelPreferences: { hints: [{ name: hostile }] },
          _meta: {
            "countersign/session": "console-attack",
            "countersign/originatingRequest": { id: 1, method: "tools/call", name: hostile, server: hostile },
          },
        },
      },
    });
    const cookie = await signedIn(world);
    const pages = await crawl(world, cookie);
    expect(pages.size, `only ${pages.size} pages were found`).toBeGreaterThan(2);
    const session = tokenIn((await page(world, "/console/stops", cookie)).text);
    for (const path of ["/console/download/record", "/console/download/usage"])
      pages.set(
        path,
        await world.ask(at(path, cookie), { method: "POST", key: null, headers: { ...own, Cookie: cookie }, body: form({ session }) }),
      );
    for (const [path, { status, text, headers }] of pages) {
      expect(status, `${path}: the status`).toBeLessThan(500);
      for (const secret of Object.values(secrets)) expect(text, path).not.toContain(secret);
      expect(text, path).not.toContain(world.ann.key);
      expect(headers.get("Cache-Control"), `${path}: Cache-Control`).toBe("no-store");
      if (path.includes("/download/")) {
        mustBeFile(path, headers);
        continue;
      }
      expect(text, path).not.toContain("<script>parent");
      expect(text, path).not.toContain("<img src=x");
      expect(text, path).not.toContain('"><script');
      const policy = headers.get("Content-Security-Policy") ?? "";
      expect(policy.includes("default-src 'none'") && !policy.includes("unsafe"), `${path}: the policy is ${policy}`).toBe(true);
    }
    await world.admin(`/keys/${id}`, { method: "DELETE" });
  },
};

export const console: Area = {
  name: "console",
  about: "the operator's pages: signing in, forms of other sites, and stored scripts",
  attacks: [...outside, guesses, elsewhere, changed, port, over, ...otherSites, formTokens, gets, beyond, scripts],
};
