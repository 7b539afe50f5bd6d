// The stage of the moving picture: a terminal with what npm start prints, a phone with the page,
// and a line that says what happens.

import type { Browser, Page } from "playwright-core";
import { type Frame, animatedWebp } from "./animated-webp.ts";
import { losslessWebp } from "./lossless-webp.ts";

const size = { width: 1_000, height: 712 } as const;
const scale = 2;

const html = `<!doctype html><html lang="en"><meta charset="utf-8"><style>
* { box-sizing: border-box; margin: 0; }
body { width: ${size.width}px; height: ${size.height}px; padding: 20px; overflow: hidden; background: #e9ebef; color: #14171b; font: 16px/1.4 system-ui, sans-serif; }
#said { height: 40px; font-size: 22px; font-weight: 650; white-space: pre; }
#said b { display: inline-block; width: 34px; height: 34px; margin-right: 12px; border-radius: 50%; background: #0d6a3f; color: #fff; text-align: center; line-height: 34px; }
#scene { display: flex; gap: 20px; margin-top: 16px; }
#terminal { flex: 1; height: 616px; padding: 16px; overflow: hidden; border-radius: 10px; background: #14171b; color: #e8eaee; }
#terminal pre { white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
#phone { width: 316px; height: 616px; padding: 8px; border-radius: 26px; background: #14171b; }
#phone div { height: 600px; border-radius: 18px; overflow: hidden; background: #303843; }
#phone img { display: block; width: 300px; height: 600px; }
</style><p id="said"></p><div id="scene"><div id="terminal"><pre></pre></div><div id="phone"><div></div></div></div>`;

/**
 * The phone's window. Its pictures have as many pixels as the stage has for them, so that none is
 * resampled.
 */
export const phone = { viewport: { width: 390, height: 780 }, scale: (300 / 390) * scale } as const;

export class Stage {
  readonly #page: Page;
  #before: string | null = null;
  readonly #parts: { readonly part: Part; milliseconds: number }[] = [];

  private constructor(page: Page) {
    this.#page = page;
  }

  static async open(browser: Browser): Promise<Stage> {
    const page = await (await browser.newContext({ viewport: size, deviceScaleFactor: scale })).newPage();
    await page.setContent(html);
    return new Stage(page);
  }

  /**
   * Adds a frame: the step and its sentence, what the terminal shows, and the phone's page as a
   * PNG, or nothing.
   */
  async frame(milliseconds: number, shown: { step: number; said: string; terminal: string; phone: Buffer | null }): Promise<void> {
    await this.#page.evaluate(
      async ({ step, said, terminal, picture }) => {
        const number = document.createElement("b");
        number.textContent = String(step);
        document.querySelector("#said")?.replaceChildren(number, said);
        const text = document.querySelector("pre");
        if (text !== null) text.textContent = terminal;
        document.querySelector("#terminal")?.scrollTo(0, 10_000);
        const screen = document.querySelector("#phone div");
        if (picture === null) return screen?.replaceChildren();
        const image = new Image();
        image.src = `data:image/png;base64,${picture}`;
        await image.decode();
        return screen?.replaceChildren(image);
      },
      { step: shown.step, said: shown.said, terminal: shown.terminal, picture: shown.phone?.toString("base64") ?? null },
    );
    const now = (await this.#page.screenshot()).toString("base64");
    const part = await changedPart(this.#page, this.#before, now);
    this.#before = now;
    const last = this.#parts.at(-1);
    if (part !== null) this.#parts.push({ part, milliseconds });
    else if (last !== undefined) last.milliseconds += milliseconds;
  }

  /**
   * The stage as it stands, for whoever wants no motion. Encode it later: the pages show the time
   * that goes by meanwhile.
   */
  async still(): Promise<() => Promise<Uint8Array>> {
    const whole = await changedPart(this.#page, null, this.#before ?? "");
    if (whole === null) throw new Error("nothing was shown yet");
    return () => encoded(whole);
  }

  /** The moving picture of all frames. */
  async picture(): Promise<Buffer> {
    const frames: Frame[] = [];
    for (const { part, milliseconds } of this.#parts) {
      const { x, y, width, height } = part;
      frames.push({ x, y, width, height, milliseconds, picture: await encoded(part) });
    }
    return animatedWebp(size.width * scale, size.height * scale, frames);
  }
}

const encoded = (part: Part): Promise<Uint8Array> => losslessWebp(Buffer.from(part.pixels, "base64"), part);

type Part = { readonly x: number; readonly y: number; readonly width: number; readonly height: number; readonly pixels: string };

/**
 * The smallest rectangle in which two PNGs differ, with the second's pixels in base64; null where
 * they are the same.
 */
const changedPart = (page: Page, before: string | null, now: string): Promise<Part | null> =>
  page.evaluate(
    async ([old, next]) => {
      const read = async (png: string): Promise<CanvasRenderingContext2D> => {
        const image = new Image();
        image.src = `data:image/png;base64,${png}`;
        await image.decode();
        const canvas = document.createElement("canvas");
        canvas.width = image.naturalWidth;
        canvas.height = image.naturalHeight;
        const context = canvas.getContext("2d", { willReadFrequently: true });
        if (context === null) throw new Error("this browser has no canvas");
        context.drawImage(image, 0, 0);
        return context;
      };
      const to = await read(next ?? "");
      const { width, height } = to.canvas;
      let [left, top, right, bottom] = [0, 0, width, height];
      if (old !== null && old !== undefined) {
        const one = new Uint32Array((await read(old)).getImageData(0, 0, width, height).data.buffer);
        const other = new Uint32Array(to.getImageData(0, 0, width, height).data.buffer);
        [left, top, right, bottom] = [width, height, 0, 0];
        for (let i = 0; i < one.length; i += 1)
          if (one[i] !== other[i]) {
            const x = i % width;
            const y = Math.floor(i / width);
            [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x + 1), Math.max(bottom, y + 1)];
          }
        if (right === 0) return null;
      }
      left -= left % 2;
      top -= top % 2;
      const { data } = to.getImageData(left, top, right - left, bottom - top);
      let bytes = "";
      for (let at = 0; at < data.length; at += 32_768) bytes += String.fromCharCode(...data.subarray(at, at + 32_768));
      return { x: left, y: top, width: right - left, height: bottom - top, pixels: btoa(bytes) };
    },
    [before, now],
  );
