// Images of a request: what is fetched and from where, and that a person sees the very bytes that a
// model gets.

import { beforeEach, describe, expect, test } from "vitest";
import { mostImageBytes } from "../../../../shared/image/image-limits.ts";
import { base64Of, gif, images, jpeg, noImages, padded, png, webp } from "../../../support/image-files.ts";
import { type Sent, asked, control, controlAnswerOf, envelopeOf, everyKind, gates, prompt } from "../../support/control.ts";
import { admin, configure, createKey, env, gateway, model, openNotice, travel } from "../../support/gateway.ts";
import { answerAt } from "../../support/provider.ts";
import { recordLines } from "../../support/record.ts";
import { decide, pathOf } from "../../support/reviewer.ts";

const host = "images.example.com";
const here = `https://${host}/a.png`;

/** What was fetched from the image hosts, oldest first. */
let fetched: Request[];

/** From now on the host answers with this. */
function hostAnswers(response: (request: Request) => Response | Promise<Response>, origin = `https://${host}`): void {
  answerAt(origin, (request) => {
    fetched.push(request);
    return response(request);
  });
}

const imageResponse = (bytes: Uint8Array, type = "image/png"): Response => new Response(bytes, { headers: { "Content-Type": type } });
const url = (value: string) => ({ type: "url", value });
const base64 = (value: string) => ({ type: "base64", value });
const look = (given: readonly object[], members: object = {}): Sent =>
  envelopeOf("multimodal_generation", { prompt, images: given }, members);

beforeEach(async () => {
  fetched = [];
  await configure("routing", everyKind);
  await gates({}, { imageHosts: [host] });
  hostAnswers(() => imageResponse(png));
});

/** The images that the model was sent in its last request, as `data:` URLs. */
function sentImages(): readonly string[] {
  const messages = (model.calls.at(-1)?.body["messages"] ?? []) as { content: string | { image_url?: { url: string } }[] }[];
  return messages.flatMap(({ content }) => (typeof content === "string" ? [] : content.flatMap((part) => part.image_url?.url ?? [])));
}

const dataUrl = (bytes: Uint8Array, type: string): string => `data:${type};base64,${base64Of(bytes)}`;

/** What the gateway makes of each image: what is shown, and sent. */
const plainUrls = (...files: readonly Uint8Array[]): Promise<readonly string[]> =>
  Promise.all(
    files.map(async (file) => {
      const { plain, error: fault } = await env.IMAGES.plain(file);
      if (plain === null) throw new Error(fault.kind);
      return dataUrl(plain.bytes, plain.mimeType);
    }),
  );

/** Where each fault is, and what it says. */
async function faultsOf(message: unknown): Promise<readonly { readonly pointer: string; readonly message: string }[]> {
  const response = await control(message);
  const answer = await controlAnswerOf(response);
  expect([response.status, answer.status]).toEqual([400, "invalid"]);
  return (answer.error?.details?.["errors"] ?? []) as { pointer: string; message: string }[];
}

test("are given as base64 or fetched, keep their order, and reach the model as bytes and never as an address", async () => {
  hostAnswers(() => imageResponse(jpeg, "image/jpeg"));
  const answer = await asked(
    look([base64(base64Of(gif)), url(`https://${host}/secret-path?token=1`), base64(dataUrl(webp, "image/webp"))]),
  );
  expect(answer).toMatchObject({ status: "completed", result: { type: "multimodal_generation" } });
  expect(sentImages()).toEqual(await plainUrls(gif, jpeg, webp));
  expect(JSON.stringify(model.calls)).not.toContain("secret-path");
  expect(JSON.stringify(await recordLines())).not.toContain("secret-path");
});

test("are fetched with nothing of ours and nothing of the caller's", async () => {
  await asked(look([url(here)]));
  expect(fetched.map(({ url: address, method, headers }) => [address, method, [...headers]])).toEqual([
    [here, "GET", [["accept", "image/*"]]],
  ]);
});

describe("what a person is shown", () => {
  test("is what is sent: the bytes of the moment of asking, however the address answers later", async () => {
    await gates({ request: "review" }, { imageHosts: [host] });
    const answer = asked(look([url(here), base64(base64Of(gif))]));
    const { link } = await openNotice("request");
    hostAnswers(() => imageResponse(jpeg, "image/jpeg"));
    const page = await (await gateway(pathOf(link), { key: null })).text();
    const shownUrls = await plainUrls(png, gif);
    for (const shown of shownUrls) expect(page).toContain(`src="${shown}"`);
    expect(page).not.toContain(host);
    await decide("request", "approve");
    expect((await answer).status).toBe("completed");
    expect(sentImages()).toEqual(shownUrls);
    expect(fetched).toHaveLength(1);
  });

  test("is what a repeat attaches to, also where the image is gone or another one since", async () => {
    await gates({ request: "review" }, { imageHosts: [host] });
    const envelope = look([url(here)]);
    const first = asked(envelope);
    const { run } = await openNotice("request");
    hostAnswers(() => new Response(null, { status: 404 }));
    const second = asked(envelope);
    hostAnswers(() => imageResponse(gif, "image/gif"));
    const third = asked(envelope);
    await decide("request", "approve", run);
    const answers = await Promise.all([first, second, third]);
    expect(answers.map((answer) => [answer.status, answer.run])).toEqual(answers.map(() => ["completed", run]));
    expect(sentImages()).toEqual(await plainUrls(png));
    expect(model.calls).toHaveLength(1);
  });
});

describe("an address", () => {
  const at = "/task/parameters/images/0/value";

  test.each([
    ["of a host that is not listed", "https://evil.example.com/a.png", /imageHosts/],
    ["of a host below a listed one", `https://sub.${host}/a.png`, /imageHosts/],
    ["of a listed host as the name of a person", `https://${host}@evil.example.com/a.png`, /user name/],
    ["without https", `http://${host}/a.png`, /not https/],
    ["with another port", `https://${host}:8443/a.png`, /port/],
    ["of this machine", "https://127.0.0.1/a.png", /numeric/],
    ["of this machine, as one number", "https://2130706433/a.png", /numeric/],
    ["of this machine, in hexadecimal", "https://0x7f000001/a.png", /numeric/],
    ["of this machine, in revision 6", "https://[::1]/a.png", /numeric/],
    ["of this machine, in revision 6 as 4", "https://[::ffff:127.0.0.1]/a.png", /numeric/],
    ["of instance metadata", "https://169.254.169.254/latest/meta-data", /numeric/],
    ["by name", "https://localhost/a.png", /imageHosts/],
    ["of a file", "file:///etc/passwd", /not https/],
    ["with data in it", dataUrl(png, "image/png"), /not https/],
    ["that is none", "a.png", /not an https address/],
    ["with a line end in it", `https://${host}/a\n.png`, /not an https address/],
  ])("%s is not asked", async (_name, address, message) => {
    const [fault, ...others] = await faultsOf(look([url(address)]));
    expect(others).toEqual([]);
    expect(fault).toEqual({ pointer: at, message: expect.stringMatching(message) });
    expect([fetched, model.calls]).toEqual([[], []]);
  });

  test.each(["https://127.0.0.1/a.png", "https://[::1]/", "https://10.0.0.7/a.png"])(
    "of a private host is not asked, also where the policy lists it: %s",
    async (address) => {
      const name = new URL(address).hostname;
      // The policy itself does not take it.
      await expect(gates({}, { imageHosts: [name] })).rejects.toThrow(/imageHosts/);
      expect(await faultsOf(look([url(address)]))).toHaveLength(1);
      expect(fetched).toEqual([]);
    },
  );

  test("that leads elsewhere is followed within the listed hosts alone", async () => {
    hostAnswers(({ url: address }) =>
      address === here ? new Response(null, { status: 302, headers: { Location: "/b.png" } }) : imageResponse(png),
    );
    expect(await asked(look([url(here)]))).toMatchObject({ status: "completed" });
    expect(fetched.map(({ url: address }) => address)).toEqual([here, `https://${host}/b.png`]);
  });

  test.each([
    "https://evil.example.com/a.png",
    "http://169.254.169.254/latest/meta-data",
    "https://127.0.0.1/a.png",
    `http://${host}/a.png`,
    "//evil.example.com/a.png",
  ])("that leads to %s is not followed", async (location) => {
    for (const origin of ["https://evil.example.com", "http://169.254.169.254", "https://127.0.0.1", `http://${host}`])
      hostAnswers(() => imageResponse(gif), origin);
    hostAnswers(() => new Response(null, { status: 302, headers: { Location: location } }));
    expect(await faultsOf(look([url(here)]))).toEqual([{ pointer: at, message: expect.stringMatching(/^redirects to/) }]);
    expect(fetched.map(({ url: address }) => address)).toEqual([here]);
  });

  test.each<[string, () => Response | Promise<Response>, RegExp]>([
    ["that leads in a circle", () => new Response(null, { status: 301, headers: { Location: here } }), /more than 3 times/],
    ["that has nothing", () => new Response("no", { status: 404 }), /status 404/],
    ["that has a page", () => imageResponse(png, "text/html"), /Content-Type/],
    ["whose image is none", () => imageResponse(noImages["a page"] ?? gif), /is not a PNG/],
    ["whose image is another than it says", () => imageResponse(jpeg, "image/png"), /not of the type given/],
    ["whose image may hold scripts", () => imageResponse(noImages["a drawing with scripts"] ?? gif, "image/svg+xml"), /is not a PNG/],
    ["whose image is too large", () => imageResponse(padded(png, mostImageBytes + 1)), /larger than/],
    [
      "that never ends",
      () => {
        const endless = new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(padded(png, 65_536)) });
        return new Response(endless, { headers: { "Content-Type": "image/png" } });
      },
      /larger than/,
    ],
    [
      "that cannot be reached",
      () => {
        throw new TypeError("refused");
      },
      /could not be fetched/,
    ],
  ])("%s is told at its place, and no model is asked", async (_name, response, message) => {
    hostAnswers(response);
    expect(await faultsOf(look([url(here)]))).toEqual([{ pointer: at, message: expect.stringMatching(message) }]);
    expect(model.calls).toEqual([]);
  });

  test("that says nothing for the time of the request is given up", async () => {
    hostAnswers((request) => new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(new Error("aborted")))));
    expect(await faultsOf(look([url(here)], { control: { timeout: 200 } }))).toEqual([
      { pointer: at, message: expect.stringMatching(/did not arrive in time/) },
    ]);
  });
});

test("everything that is wrong is said at once, each at its place, and nothing of what was sent", async () => {
  const secret = "hunter2";
  const faults = await faultsOf(
    look([base64(`${secret}!`), url(here), base64(base64Of(noImages["a PDF"] ?? gif)), url(`https://${secret}.example.com/`)]),
  );
  expect(faults.map(({ pointer }) => pointer)).toEqual([0, 2, 3].map((index) => `/task/parameters/images/${index}/value`));
  expect(JSON.stringify(faults)).not.toContain(secret);
});

test("after a refusal the same id may be used for the request put right", async () => {
  const wrong = look([url("https://evil.example.com/a.png")]);
  expect(await faultsOf(wrong)).toHaveLength(1);
  const right = { ...look([base64(base64Of(images["image/png"]))]), request_id: wrong["request_id"] };
  expect(await asked(right)).toMatchObject({ status: "completed" });
});

test("nothing is fetched for a key that is over its limit, or revoked", async () => {
  const limits = { requestsPerMinute: 1, concurrent: 5, roundsPerOriginatingRequest: 5, bodyBytes: 1_000_000 };
  const { key, id } = await createKey({ limits });
  expect(await asked(look([url(here)]), { key })).toMatchObject({ status: "completed" });
  expect(await asked(look([url(here)]), { key })).toMatchObject({ status: "rate_limited" });
  expect(fetched).toHaveLength(1);
  await admin(`/keys/${id}`, { method: "DELETE" });
  expect(await asked(look([url(here)]), { key })).toMatchObject({ status: "unauthorized" });
  expect(fetched).toHaveLength(1);
});

test("a key has no more fetched than its limits let it come in, also at once", async () => {
  const { key } = await createKey({
    limits: { requestsPerMinute: 2, concurrent: 20, roundsPerOriginatingRequest: 5, bodyBytes: 1_000_000 },
  });
  const answers = await Promise.all(Array.from({ length: 10 }, async () => controlAnswerOf(control(look([url(here)]), { key }))));
  expect(answers.filter(({ status }) => status === "completed")).toHaveLength(2);
  expect(fetched).toHaveLength(2);
});

test("one place is enough for one request after the other", async () => {
  const { key } = await createKey({
    limits: { requestsPerMinute: 60, concurrent: 1, roundsPerOriginatingRequest: 5, bodyBytes: 1_000_000 },
  });
  for (const _ of [1, 2, 3]) expect((await asked(look([url(here)]), { key })).status).toBe("completed");
});

test("the time that fetching takes is the request's: the model has what is left of it", async () => {
  hostAnswers(() => {
    travel(59_000);
    return imageResponse(png);
  });
  model.script({ until: new Promise(() => {}), step: {} });
  const answer = await asked(look([url(here)], { control: { timeout: 60_000 } }));
  expect(answer).toMatchObject({ status: "failed" });
  // Not the whole minute.
  for (const { durationMs } of (answer.error?.details?.["attempts"] ?? []) as { durationMs: number }[])
    expect(durationMs).toBeLessThan(30_000);
});
