// Pictures of pages for people to look at, where SHOTS_TO names a folder; otherwise nothing.

import { join } from "node:path";
import type { Page } from "playwright-core";

const sizes = { phone: { width: 390, height: 844 }, desktop: { width: 1_280, height: 900 } } as const;

/**
 * The whole page at both widths, light and dark, as `<name>-<width>-<scheme>.png`; the page is left
 * as it was.
 */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env["SHOTS_TO"];
  if (folder === undefined) return;
  const before = page.viewportSize();
  for (const [width, size] of Object.entries(sizes)) {
    await page.setViewportSize(size);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true });
    }
  }
  await page.emulateMedia({ colorScheme: null });
  if (before !== null) await page.setViewportSize(before);
}
