// The README's moving picture, as a browser plays it.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { chromiumPath } from "../../outside/support/chromium.ts";
import { launch, servePage } from "../../outside/pages/browser.ts";

test.skipIf(chromiumPath === undefined)(
  "docs/walk.webp plays for ever, long enough to read each step, and shows no more than 3 large changes a second",
  async () => {
    const browser = await launch();
    const site = await servePage();
    try {
      // Only a page of a local address may decode pictures.
      site.html = "<!doctype html><title>x</title>";
      const page = await browser.newPage();
      await page.goto(site.url);
      const data = readFileSync(new URL("../../../docs/walk.webp", import.meta.url)).toString("base64");
      const played = await page.evaluate(async (base64) => {
        const bytes = Uint8Array.from(atob(base64), (each) => each.codePointAt(0) ?? 0);
        const decoder = new ImageDecoder({ data: bytes, type: "image/webp" });
        await decoder.tracks.ready;
        const track = decoder.tracks.selectedTrack;
        const frames: { readonly milliseconds: number; readonly changed: number }[] = [];
        let before: Uint32Array | undefined;
        for (let i = 0; i < (track?.frameCount ?? 0); i += 1) {
          const { image } = await decoder.decode({ frameIndex: i });
          const canvas = new OffscreenCanvas(image.displayWidth / 4, image.displayHeight / 4);
          const context = canvas.getContext("2d");
          context?.drawImage(image, 0, 0, canvas.width, canvas.height);
          const pixels = new Uint32Array(context?.getImageData(0, 0, canvas.width, canvas.height).data.buffer ?? new ArrayBuffer(0));
          const last: Uint32Array | undefined = before;
          const changed = last === undefined ? 0 : pixels.reduce((sum, pixel, k) => sum + (pixel === last[k] ? 0 : 1), 0) / pixels.length;
          frames.push({ milliseconds: (image.duration ?? 0) / 1_000, changed });
          before = pixels;
        }
        return { frames, repetitions: track?.repetitionCount, codedWidth: before?.length };
      }, data);
      const { frames } = played;
      expect(played.repetitions).toBe(Number.POSITIVE_INFINITY);
      expect(frames.filter(({ milliseconds }) => milliseconds >= 2_000).length).toBeGreaterThanOrEqual(6);
      expect(frames.reduce((sum, { milliseconds }) => sum + milliseconds, 0)).toBeLessThan(40_000);
      // A quarter of the picture is what counts as a flash where it comes and goes fast.
      for (const [i, { changed }] of frames.entries())
        if (changed > 0.25) expect([i, frames[i - 1]?.milliseconds]).toEqual([i, expect.toSatisfy((ms: number) => ms > 333)]);
      for (const { changed } of frames.slice(1)) expect(changed).toBeGreaterThan(0);
    } finally {
      await site.close();
      await browser.close();
    }
  },
);
