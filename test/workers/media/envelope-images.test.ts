// Images as bytes, inside workerd, with the world behind `fetch` scripted. Real sockets:
// test/workers/contract/control/images.test.ts.

import { describe, expect, test, vi } from "vitest";
import { mostImageBytes } from "../../../shared/image/image-limits.ts";
import { type ImageLimits, fetchImages } from "../../../workers/media/envelope-images.ts";
import { base64Of, images, jpeg, noImages, padded, png } from "../../support/image-files.ts";

const hosts = ["images.example.com", "cdn.example.net"];
const limits: ImageLimits = { limitBytes: 20_000_000, timeoutMs: 60_000 };
const url = (value: string) => ({ type: "url", value }) as const;
const base64 = (value: string) => ({ type: "base64", value }) as const;

type Answers = Readonly<Record<string, () => Response>>;

/** A world of these addresses; what else is asked is a fault of the test. */
function worldOf(answers: Answers) {
  const asked: Request[] = [];
  const world: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    asked.push(request);
    const answer = answers[request.url];
    if (answer === undefined) throw new Error("asked for what is not there");
    return answer();
  };
  return { asked, world };
}

const imageResponse = (bytes: Uint8Array, type = "image/png"): Response => new Response(bytes, { headers: { "Content-Type": type } });
const redirectTo = (location: string, status = 302): Response => new Response(null, { status, headers: { Location: location } });

async function errorsOf(given: Parameters<typeof fetchImages>[0], answers: Answers = {}, more: Partial<ImageLimits> = {}) {
  const read = await fetchImages(given, hosts, { ...limits, fetch: worldOf(answers).world, ...more });
  return read.ok ? [] : read.error;
}

const here = "https://images.example.com/a.png";

describe("an image given as base64", () => {
  test.each(Object.entries(images))("is taken as %s by its bytes, alone or in a data: URL", async (mimeType, bytes) => {
    const data = base64Of(bytes);
    const read = await fetchImages([base64(data), base64(`data:${mimeType};base64,${data}`)], [], limits);
    expect(read).toEqual({
      ok: true,
      value: [
        { data, mimeType },
        { data, mimeType },
      ],
    });
  });

  test.each([
    ["no base64", "not base64!", /is not base64/],
    ["base64 with line breaks", `${base64Of(png).slice(0, 8)}\n${base64Of(png).slice(8)}`, /is not base64/],
    ["base64 of the URL alphabet", "iVBORw0KGgo-_A==", /is not base64/],
    ["nothing", "", /is not base64/],
    ["a data: URL of nothing", "data:image/png;base64,", /is not base64/],
    ["an address", "https://images.example.com/a.png", /is not base64/],
    ["the example's elision", "...", /is not base64/],
    ["a data: URL of another type", `data:image/gif;base64,${base64Of(png)}`, /not of the type given/],
    ["a data: URL of a page", `data:text/html;base64,${base64Of(png)}`, /not of the type given/],
    ["too many bytes", base64Of(padded(png, 30)) + "AAAA".repeat(mostImageBytes / 3), /larger than 5 MiB/],
  ])("is refused with %s, at its place", async (_name, value, message) => {
    expect(await errorsOf([base64(base64Of(png)), base64(value)])).toEqual([
      { pointer: "/task/parameters/images/1/value", message: expect.stringMatching(message) as unknown },
    ]);
  });

  test.each(Object.entries(noImages).filter(([, bytes]) => bytes.length > 0))("is refused where it is %s", async (_name, bytes) => {
    expect(await errorsOf([base64(base64Of(bytes))])).toMatchObject([{ message: expect.stringMatching(/is not a PNG/) as unknown }]);
  });
});

describe("an image at an address", () => {
  test.each(Object.entries(images))("is fetched as %s, without credentials, and its bytes come back", async (mimeType, bytes) => {
    const { asked, world } = worldOf({ [here]: () => imageResponse(bytes, `${mimeType.toUpperCase()}; charset=binary`) });
    const read = await fetchImages([url(`${here}#part`)], hosts, { ...limits, fetch: world });
    expect(read).toEqual({ ok: true, value: [{ data: base64Of(bytes), mimeType }] });
    expect(asked.map((request) => [request.method, request.redirect, [...request.headers]])).toEqual([
      ["GET", "manual", [["accept", "image/*"]]],
    ]);
  });

  test("of many pieces comes back whole", async () => {
    const large = padded(jpeg, 100_001).map((byte, index) => (index < 20 ? byte : (index * 31) % 256));
    const read = await fetchImages([url(here)], hosts, {
      ...limits,
      fetch: worldOf({ [here]: () => imageResponse(large, "image/jpeg") }).world,
    });
    expect(read.ok && Uint8Array.from(atob(read.value[0]?.data ?? ""), (letter) => letter.charCodeAt(0))).toEqual(large);
  });

  test("keeps its place among others", async () => {
    const types = Object.entries(images);
    const answers = Object.fromEntries(types.map(([type, bytes]) => [`https://cdn.example.net/${type}`, () => imageResponse(bytes, type)]));
    const given = [...types, ...types].map(([type, bytes], index) =>
      index % 3 === 0 ? base64(base64Of(bytes)) : url(`https://cdn.example.net/${type}`),
    );
    const read = await fetchImages(given, hosts, { ...limits, fetch: worldOf(answers).world });
    expect(read.ok && read.value.map(({ mimeType }) => mimeType)).toEqual([...types, ...types].map(([type]) => type));
  });

  test("is not asked for where the policy does not list its host, and the caller learns what to do", async () => {
    const { asked, world } = worldOf({});
    const given = [
      url("https://evil.example/secret-path.png"),
      url("http://images.example.com/a"),
      url("https://127.0.0.1/a"),
      url("https://a:b@images.example.com/"),
    ];
    const read = await fetchImages(given, hosts, { ...limits, fetch: world });
    expect(read).toMatchObject({
      ok: false,
      error: [
        {
          pointer: "/task/parameters/images/0/value",
          message: "has a host that is not in the policy's imageHosts: ask the operator, or send the image as base64",
        },
        { pointer: "/task/parameters/images/1/value" },
        { pointer: "/task/parameters/images/2/value" },
        { pointer: "/task/parameters/images/3/value" },
      ],
    });
    expect(asked).toEqual([]);
    expect(JSON.stringify(read)).not.toMatch(/evil|secret-path|127\.0\.0\.1/);
  });

  test.each([301, 302, 303, 307, 308])(
    "is found where a redirect with status %d leads, relative or to another listed host",
    async (status) => {
      const answers = {
        [here]: () => redirectTo("../b", status),
        "https://images.example.com/b": () => redirectTo("https://cdn.example.net/c", status),
        "https://cdn.example.net/c": () => imageResponse(png),
      };
      expect(await errorsOf([url(here)], answers)).toEqual([]);
    },
  );

  test.each([
    ["a host that is not listed", "https://evil.example/a", /redirects to an address that has a host/],
    ["a private address", "https://10.0.0.1/a", /numeric address/],
    ["the address of instance metadata", "http://169.254.169.254/latest/meta-data", /not https/],
    ["plain http", "http://images.example.com/a", /not https/],
    ["another port", "https://images.example.com:8443/a", /names a port/],
    ["a name and password", "https://user:pass@images.example.com/a", /user name or password/],
    ["nowhere", "", /not an https address|redirects more/],
    ["another host by a relative address", "//evil.example/a", /redirects to an address that has a host/],
  ])("is not fetched from %s, where a redirect leads there", async (_name, location, message) => {
    const errors = await errorsOf([url(here)], { [here]: () => redirectTo(location) });
    expect(errors).toEqual([{ pointer: "/task/parameters/images/0/value", message: expect.stringMatching(message) as unknown }]);
    expect(JSON.stringify(errors)).not.toMatch(/evil|10\.0|169/);
  });

  test("is not followed for ever", async () => {
    const { asked, world } = worldOf({ [here]: () => redirectTo(here) });
    expect(await fetchImages([url(here)], hosts, { ...limits, fetch: world })).toMatchObject({
      ok: false,
      error: [{ message: expect.stringMatching(/more than 3 times/) as unknown }],
    });
    expect(asked).toHaveLength(4);
  });

  test.each<[string, () => Response, RegExp]>([
    ["is not there", () => new Response("no", { status: 404 }), /status 404/],
    ["is only a part", () => new Response(png, { status: 206, headers: { "Content-Type": "image/png" } }), /status 206/],
    ["is a page", () => imageResponse(png, "text/html"), /Content-Type/],
    ["is of no type", () => new Response(png), /Content-Type/],
    ["is bytes of any kind", () => imageResponse(png, "application/octet-stream"), /Content-Type/],
    ["is no image in spite of its type", () => imageResponse(noImages["a page"] ?? png), /is not a PNG/],
    ["is empty", () => imageResponse(new Uint8Array()), /is not a PNG/],
    ["is another image than its type says", () => imageResponse(jpeg), /not of the type given/],
    ["is a drawing that may hold scripts", () => imageResponse(noImages["a drawing with scripts"] ?? png, "image/svg+xml"), /is not a PNG/],
    [
      "is too large by its length",
      () => new Response(png, { headers: { "Content-Type": "image/png", "Content-Length": "999999999" } }),
      /larger than/,
    ],
    ["is a byte too large", () => imageResponse(padded(png, mostImageBytes + 1)), /larger than/],
  ])("is refused where it %s", async (_name, answer, message) => {
    expect(await errorsOf([url(here)], { [here]: answer })).toEqual([
      { pointer: "/task/parameters/images/0/value", message: expect.stringMatching(message) as unknown },
    ]);
  });

  test("of exactly the limit is taken", async () => {
    expect(await errorsOf([url(here)], { [here]: () => imageResponse(padded(png, mostImageBytes)) })).toEqual([]);
  });

  test("that goes on without an end is let go of", async () => {
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(png),
      pull: (controller) => controller.enqueue(new Uint8Array(1_000_000)),
      cancel: () => void (cancelled = true),
    });
    const answers = { [here]: () => new Response(endless, { headers: { "Content-Type": "image/png" } }) };
    expect(await errorsOf([url(here)], answers)).toMatchObject([{ message: expect.stringMatching(/larger than/) as unknown }]);
    await vi.waitFor(() => expect(cancelled).toBe(true), { timeout: 40_000 });
  });

  test("that does not come in time, or not at all, is said to be so", async () => {
    const never: typeof fetch = (_input, init) =>
      new Promise((_, reject) => init?.signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError"))));
    expect(await errorsOf([url(here)], {}, { fetch: never, timeoutMs: 10 })).toMatchObject([
      { message: expect.stringMatching(/in time/) as unknown },
    ]);
    expect(await errorsOf([url(here)])).toMatchObject([{ message: expect.stringMatching(/could not be fetched/) as unknown }]);
  });
});

test("images are bounded together, as base64, and no more is fetched once they are over", async () => {
  const { asked, world } = worldOf({ [here]: () => imageResponse(padded(png, 300)) });
  const given = Array.from({ length: 9 }, () => url(here));
  expect(await fetchImages(given, hosts, { ...limits, limitBytes: 3_600, fetch: world })).toMatchObject({ ok: true });
  asked.length = 0;
  expect(await fetchImages(given, hosts, { ...limits, limitBytes: 1_199, fetch: world })).toMatchObject({
    ok: false,
    error: [{ pointer: "/task/parameters/images", message: expect.stringMatching(/more than 1199 bytes together/) as unknown }],
  });
  expect(asked).toHaveLength(3);
});

test("everything that is wrong is said at once", async () => {
  const errors = await errorsOf([url("https://evil.example/"), base64("..."), base64(base64Of(png)), url("ftp://x/")]);
  expect(errors.map(({ pointer }) => pointer)).toEqual([0, 1, 3].map((index) => `/task/parameters/images/${index}/value`));
});
