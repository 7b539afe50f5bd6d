// Reviews of what comes through the control door, where a client asks for itself: what pages, mails and messages say of them.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, test } from "vitest";
import type { ReviewView } from "../../../shared/review/view.ts";
import { renderReviewPage } from "../../../workers/ui/review-page.tsx";
import { chromiumPath } from "../support/chromium.ts";
import { shoot } from "../support/screenshots.ts";
import { launch } from "./browser.ts";
import { control } from "./examples.ts";

describe.skipIf(chromiumPath === undefined)("in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  test("the pictures, where somebody asks for them", async () => {
    const page = await browser.newPage();
    for (const [name, view] of Object.entries<ReviewView>(control)) {
      await page.setContent(renderReviewPage({ view, action: "/r/t", nonce: "n", cspNonce: "c" }));
      await shoot(page, `control-${name}`);
    }
    await page.close();
  });
});
