// Images by every way in: what a reviewer is shown and what a model gets are the same bytes, and
// they are one picture for everybody.

import { beforeEach, describe, expect, test } from "vitest";
import { decodePng } from "../../../shared/image/decode-png.ts";
import { readImage } from "../../../shared/image/image-header.ts";
import { alphaWebp, gif, greyJpeg, images, jpeg, lossyWebp, png } from "../../support/image-files.ts";
import {
  apng,
  ascii,
  exifSegment,
  gifOf,
  joined,
  pngChunk,
  pngHeader,
  pngOf,
  pngSignature,
  withSegments,
} from "../../support/made-images.ts";
import { asked, envelopeOf, everyKind, gates } from "../support/control.ts";
import {
  type RpcError,
  admin,
  answerOf,
  configure,
  createKey,
  env,
  errorOf,
  eventually,
  gateway,
  gatewayWith,
  jsonBody,
  model,
  openNotice,
  post,
  routing,
  sample,
  samplingMessage,
} from "../support/gateway.ts";
import { recordLines } from "../support/record.ts";
import { decide, pathOf } from "../support/reviewer.ts";
import { scriptToolServer } from "../support/tool-server.ts";

const seeing = { ...routing, models: routing.models.map((each) => ({ ...each, accepts: ["text", "image"] })) };

beforeEach(async () => {
  await configure("routing", seeing);
});

const image = (file: Uint8Array, mimeType = readImage(file).ok ? typeOf(file) : "image/png") => ({
  type: "image",
  data: file.toBase64(),
  mimeType,
});
function typeOf(file: Uint8Array): string {
  const read = readImage(file);
  return read.ok ? read.value.type : "image/png";
}
const showing = (...blocks: readonly object[]) => ({ messages: [{ role: "user", content: blocks }] });

/** The images that the model was sent in its last request. */
function sentImages(): readonly string[] {
  const messages = (model.calls.at(-1)?.body["messages"] ?? []) as { content: string | null | { image_url?: { url: string } }[] }[];
  return messages.flatMap(({ content }) => (Array.isArray(content) ? content.flatMap((part) => part.image_url?.url ?? []) : []));
}

/** The images of a page, in their order. */
const shownImages = async (link: string): Promise<readonly string[]> =>
  [...(await (await gateway(pathOf(link), { key: null })).text()).matchAll(/<img class="media" src="([^"]+)"/g)].map(
    ([, source = ""]) => source,
  );

const bytesOf = (dataUrl: string | undefined): Uint8Array =>
  Uint8Array.fromBase64((dataUrl ?? "").replace(/^data:image\/(?:png|jpeg);base64,/, ""));

const digestOf = async (bytes: Uint8Array): Promise<string> => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();

/** The picture in a PNG that was sent: its size, and the pixel at a place. */
function pictureIn(dataUrl: string | undefined) {
  const read = readImage(bytesOf(dataUrl));
  if (!read.ok || read.value.type !== "image/png") throw new Error("no PNG was sent");
  // Nothing of it is left to a decoder: RGB, without transparency.
  expect(read.value).toMatchObject({ colorType: 2, bitDepth: 8, interlaced: false, transparency: new Uint8Array() });
  const raster = decodePng(read.value);
  if (!raster.ok) throw new Error(raster.error.kind);
  const { width, height, rgb } = raster.value;
  const at = (x: number, y: number): number[] => [...rgb.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)];
  return { width, height, at };
}

const flat = (samples: readonly number[]) => pngOf({ width: 3, height: 2, colorType: samples.length === 4 ? 6 : 2, pixel: () => samples });

describe("what a reviewer is shown is what the model gets", () => {
  test.each<[string, Uint8Array]>([
    ...Object.entries(images),
    ["a JPEG in grey", greyJpeg],
    ["a lossy WebP", lossyWebp],
    ["a WebP with transparency", alphaWebp],
  ])("%s", async (_name, file) => {
    const answer = answerOf(sample({ server: "request-gate", params: showing(image(file), { type: "text", text: "What is it?" }) }));
    const { link } = await openNotice("request");
    const shown = await shownImages(link);
    await decide("request", "approve");
    expect((await answer).error).toBeUndefined();
    expect(shown).toHaveLength(1);
    expect(sentImages()).toEqual(shown);
    expect(shown[0]).not.toContain(file.toBase64());
    expect(await (await gateway(pathOf(link), { key: null })).text()).toContain("Transparent areas are white");
  });
});

describe("transparency stands on white", () => {
  test.each<[string, Uint8Array, number[]]>([
    ["near-white on nothing", flat([250, 250, 250, 0]), [255, 255, 255]],
    ["near-white, half there", flat([250, 250, 250, 128]), [252, 252, 252]],
    ["black on nothing", flat([0, 0, 0, 0]), [255, 255, 255]],
    ["black, half there", flat([0, 0, 0, 128]), [127, 127, 127]],
    ["black, all there", flat([0, 0, 0, 255]), [0, 0, 0]],
    ["near-white on nothing, in a WebP", alphaWebp, [255, 255, 255]],
    [
      "a colour that a GIF calls transparent",
      gifOf(2, 2, [...gif.subarray(13, 25)], [{ width: 2, height: 2, clear: 0, pixel: () => 0 }]),
      [255, 255, 255],
    ],
  ])("%s", async (_name, file, expected) => {
    await answerOf(sample({ params: showing(image(file)) }));
    expect(pictureIn(sentImages()[0]).at(0, 0)).toEqual(expected);
  });
});

test("a photograph is sent the way up that its Exif says, without its place on earth or its author's name", async () => {
  // Turned a quarter: what was on the left is above.
  await answerOf(sample({ params: showing(image(withSegments(jpeg, exifSegment(6)))) }));
  const [sent] = sentImages();
  const read = readImage(bytesOf(sent));
  expect(read).toMatchObject({ ok: true, value: { type: "image/jpeg", width: 128, height: 160, orientation: 1 } });
  expect(new TextDecoder("latin1").decode(bytesOf(sent))).not.toMatch(/GPS|Ada|Exif/);
});

test("text, comments, colour profiles and what follows the end of a file are left behind", async () => {
  const told = [pngChunk("tEXt", ascii("Comment\0secret words")), pngChunk("gAMA", [0, 0, 0, 1]), pngChunk("eXIf", ascii("MM GPS"))];
  const file = joined(pngOf({ width: 2, height: 1, colorType: 2, pixel: (x) => [x, 2, 3], more: told }), ascii("PK\x03\x04 an archive"));
  await answerOf(sample({ params: showing(image(file)) }));
  const [sent] = sentImages();
  expect(
    [...new TextDecoder("latin1").decode(bytesOf(sent)).matchAll(/[A-Za-z]{4}(?=[^A-Za-z]|x)/g)].map(([name]) => name).slice(0, 2),
  ).toEqual(["IHDR", "IDAT"]);
  expect(new TextDecoder("latin1").decode(bytesOf(sent))).not.toMatch(/tEXt|gAMA|eXIf|PK/);
  expect(pictureIn(sent).at(1, 0)).toEqual([1, 2, 3]);
});

describe("refused with its place, its reason and what to do, and nobody is asked", () => {
  const white = { width: 2, height: 2, colorType: 2, pixel: () => [255, 255, 255] } as const;
  const palette = [...gif.subarray(13, 25)];
  const bomb = joined(pngSignature, pngHeader(60_000, 60_000, 6), pngChunk("IDAT", [0x78, 0x9c, 3, 0, 0, 0, 0, 1]), pngChunk("IEND", []));
  const cut = joined(greyJpeg.subarray(0, 500), [0xff, 0xd9]);

  test.each<[string, object, RegExp]>([
    [
      "an animated PNG whose default image is another picture",
      image(apng(white, { ...white, pixel: () => [0, 0, 0] })),
      /is animated.*send one frame/,
    ],
    [
      "a GIF whose first picture lasts 10 ms",
      image(
        gifOf(2, 2, palette, [
          { width: 2, height: 2, delay: 1, pixel: () => 0 },
          { width: 2, height: 2, pixel: () => 1 },
        ]),
        "image/gif",
      ),
      /is animated/,
    ],
    ["a header of 60,000 x 60,000 pixels", image(bomb), /60000 x 60000 pixels.*16 megapixels/],
    ["a PNG that says it is a JPEG", image(png, "image/jpeg"), /image\/png by its first bytes, not of the type given/],
    ["a page that says it is a PNG", image(Uint8Array.from(ascii("<!doctype html><p>hello"))), /is not a PNG, JPEG, GIF or WebP/],
    ["half a JPEG", image(greyJpeg.subarray(0, 500), "image/jpeg"), /is truncated: send the whole file/],
    [
      "a PNG whose rows cannot be inflated",
      image(joined(pngSignature, pngHeader(2, 2, 2), pngChunk("IDAT", ascii("nonsense")), pngChunk("IEND", []))),
      /cannot be decoded/,
    ],
    ["a JPEG with half its scan and an end after it", image(cut, "image/jpeg"), /cannot be decoded/],
  ])("%s", async (_name, block, reason) => {
    const error = await errorOf(sample({ server: "request-gate", params: showing({ type: "text", text: "Look." }, block) }));
    expect(error).toMatchObject({
      code: -32_602,
      data: { errors: [{ pointer: "/messages/0/content/1/data", message: expect.stringMatching(reason) }] },
    });
    expect(model.calls).toEqual([]);
  });

  test("each of several at its place, in messages and in tool results, as images and as resources", async () => {
    const use = { role: "assistant", content: { type: "tool_use", id: "t", name: "look", input: {} } };
    const result = {
      type: "tool_result",
      toolUseId: "t",
      content: [image(png), image(bomb), { type: "resource", resource: { uri: "file:///a", mimeType: "image/gif", blob: png.toBase64() } }],
    };
    const messages = [{ role: "user", content: image(bomb) }, use, { role: "user", content: [result] }];
    const error = await errorOf(sample({ params: { messages } }));
    const { errors } = error.data as { errors: { pointer: string }[] };
    expect(errors.map(({ pointer }) => pointer)).toEqual([
      "/messages/0/content/data",
      "/messages/2/content/0/content/1/data",
      "/messages/2/content/0/content/2/resource/blob",
    ]);
  });

  test("more pixels together than one request may have decoded", async () => {
    const large = image(joined(pngSignature, pngHeader(4_000, 4_000, 2), pngChunk("IDAT", [1]), pngChunk("IEND", [])));
    const { data } = await errorOf(sample({ params: showing(large, large, large, large, large) }));
    expect(data).toMatchObject({ errors: [{ pointer: "/messages/0/content/4/data", message: expect.stringMatching(/64 megapixels/) }] });
  });

  test("where the images Worker cannot be reached: nothing is sent that nobody could have seen", async () => {
    // As a binding that fails.
    const unbound = { IMAGES: { plain: () => Promise.reject(new Error("no such Worker")) } } as unknown as Partial<typeof env>;
    const sent = await gatewayWith(unbound, "/sampling", jsonBody("POST", samplingMessage({ params: showing(image(png)) })));
    const error: RpcError | undefined = (await answerOf(sent)).error;
    expect(error).toMatchObject({
      code: -32_602,
      data: { errors: [{ message: expect.stringMatching(/could not be decoded at the moment/) }] },
    });
    expect(model.calls).toEqual([]);
  });
});

describe("tool results", () => {
  test("in a request: images and resources of an image's type are plain rasters too", async () => {
    const use = { role: "assistant", content: { type: "tool_use", id: "t", name: "look", input: {} } };
    const parts = [image(png), { type: "resource", resource: { uri: "file:///a", mimeType: "image/gif", blob: gif.toBase64() } }];
    const messages = [
      { role: "user", content: { type: "text", text: "Look." } },
      use,
      { role: "user", content: [{ type: "tool_result", toolUseId: "t", content: parts }] },
    ];
    const answer = answerOf(sample({ server: "request-gate", params: { messages } }));
    const shown = await shownImages((await openNotice("request")).link);
    await decide("request", "approve");
    await answer;
    expect(sentImages()).toEqual(shown);
    expect(shown.map((each) => pictureIn(each).width)).toEqual([2, 2]);
  });

  test("of a function: a reviewer sees, and the caller gets, plain rasters; an animation is left out, and a text says so", async () => {
    await gates({ response: "review" });
    const server = await scriptToolServer();
    const moving = gifOf(
      1,
      1,
      [...gif.subarray(13, 25)],
      [
        { width: 1, height: 1, delay: 1, pixel: () => 0 },
        { width: 1, height: 1, pixel: () => 1 },
      ],
    );
    server.result = () => ({ content: [image(alphaWebp), image(moving, "image/gif"), { type: "text", text: "three" }] });
    const answer = asked(envelopeOf("function_call", { function_call: { name: "sum", parameters: { a: 1, b: 2 } } }));
    const { link, run } = await openNotice("response");
    const shown = await shownImages(link);
    await decide("response", "approve");
    const text = JSON.stringify(await answer);
    expect(shown).toHaveLength(1);
    expect(pictureIn(shown[0]).at(0, 0)).toEqual([255, 255, 255]);
    expect(text).toContain(bytesOf(shown[0]).toBase64());
    for (const original of [alphaWebp, moving]) expect(text).not.toContain(original.toBase64());
    expect(text).toMatch(/removed an image here: it is animated/);
    const fact = (await recordLines()).find((line) => line.run === run && line.fact.kind === "answered")?.fact;
    expect(fact).toMatchObject({
      images: [
        { received: await digestOf(alphaWebp), plain: await digestOf(bytesOf(shown[0])) },
        { received: await digestOf(moving), plain: null },
      ],
    });
  });
});

test("the record has the digests of each image as it came and as it was sent, and nothing of the image", async () => {
  const { result } = await answerOf(sample({ params: showing(image(gif), image(alphaWebp)) }));
  const run = result?._meta?.["countersign/run"]?.id;
  const fact = await eventually(
    "the record",
    async () => (await recordLines()).find((line) => line.run === run && line.fact.kind === "received")?.fact,
  );
  const [first, second] = sentImages();
  expect(fact).toMatchObject({
    images: [
      { received: await digestOf(gif), plain: await digestOf(bytesOf(first)) },
      { received: await digestOf(alphaWebp), plain: await digestOf(bytesOf(second)) },
    ],
  });
  expect(JSON.stringify(await recordLines())).not.toContain(bytesOf(first).toBase64().slice(20, 60));
});

describe("a repeat is known by the bytes as they came", () => {
  /** As a binding that fails: whoever decodes anything is refused. */
  const undecodable = { IMAGES: { plain: () => Promise.reject(new Error("asked again")) } } as unknown as Partial<typeof env>;
  const repeated = async (message: object) => answerOf(await gatewayWith(undecodable, "/sampling", jsonBody("POST", message)));

  test("of a kept answer: nothing is decoded again", async () => {
    const message = samplingMessage({ params: showing(image(png)) });
    const first = await answerOf(post(message));
    // The session has it a moment after the answer.
    const again = await eventually("the kept answer", async () => {
      const answer = await repeated(message);
      return answer.error === undefined && answer;
    });
    expect(again).toEqual(first);
    expect(model.calls).toHaveLength(1);
  });

  test("of a run that waits for a person: nothing is decoded again", async () => {
    const message = samplingMessage({ server: "request-gate", params: showing(image(png)) });
    const first = answerOf(post(message));
    await openNotice("request");
    const again = repeated(message);
    await decide("request", "approve");
    expect(await again).toEqual(await first);
    expect((await first).error).toBeUndefined();
    expect(model.calls).toHaveLength(1);
  });

  test("with other bytes of the same picture it is another request", async () => {
    const message = samplingMessage({ params: showing(image(png)) });
    await answerOf(post(message));
    const other = joined(png, [0]);
    const { code } = await errorOf(post({ ...message, params: { ...message.params, ...showing(image(other)) } }));
    expect(code).toBe(-32_600);
  });
});

test("decoding is counted before it is done: a key over its limit has nothing decoded", async () => {
  const { key } = await createKey({ limits: { requestsPerMinute: 1 } });
  let decoded = 0;
  const counting = {
    IMAGES: {
      plain: (bytes: Uint8Array) => {
        decoded += 1;
        return env.IMAGES.plain(bytes);
      },
    },
  } as unknown as Partial<typeof env>; // the same Worker, watched
  const send = () => gatewayWith(counting, "/sampling", { ...jsonBody("POST", samplingMessage({ params: showing(image(png)) })), key });
  expect((await answerOf(await send())).error).toBeUndefined();
  expect((await send()).status).toBe(429);
  expect(decoded).toBe(1);
});

test("at the control endpoint an image is the same raster, given or fetched, and is refused in the same words", async () => {
  await configure("routing", everyKind);
  await gates({ request: "review" });
  const look = (file: Uint8Array) =>
    envelopeOf("multimodal_generation", { prompt: "What is it?", images: [{ type: "base64", value: file.toBase64() }] });
  const answer = asked(look(alphaWebp));
  const shown = await shownImages((await openNotice("request")).link);
  await decide("request", "approve");
  await answer;
  expect(sentImages()).toEqual(shown);
  expect(pictureIn(shown[0]).at(0, 0)).toEqual([255, 255, 255]);
  const moving = apng(
    { width: 1, height: 1, colorType: 2, pixel: () => [1, 1, 1] },
    { width: 1, height: 1, colorType: 2, pixel: () => [2, 2, 2] },
  );
  const refused = await asked(look(moving));
  expect(refused.error?.details).toMatchObject({
    errors: [{ pointer: "/task/parameters/images/0/value", message: expect.stringMatching(/is animated/) }],
  });
  expect((await admin("/record")).status).toBe(200);
});
