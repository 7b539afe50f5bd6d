// What is looked at on every page of ours, whatever it is about.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * What an accessibility checker says against the page, light and dark, with everything unfolded:
 * rule and first element of each.
 */
export async function violationsOn(page: Page): Promise<string[]> {
  // Not as a script of the page: its own policy would refuse that.
  await page.evaluate(axe);
  const panels = await page.locator("details.up").count();
  const found: string[] = [];
  // One panel lies over the other, so that one of them is open at a time.
  for (let open = 0; open < Math.max(1, panels); open += 1) {
    await page.evaluate((which) => {
      for (const details of document.querySelectorAll("details")) {
        // Of those with one name only one can be open.
        details.removeAttribute("name");
        details.open = true;
      }
      for (const [i, panel] of [...document.querySelectorAll<HTMLDetailsElement>("details.up")].entries()) panel.open = i === which;
    }, open);
    found.push(...(await violationsNow(page)));
  }
  return found;
}

/** The same of one part of the page, in light colours. */
export async function violationsIn(page: Page, part: string): Promise<string[]> {
  await page.evaluate(axe);
  await page.evaluate(() => {
    for (const details of document.querySelectorAll("details:not(.up)")) details.setAttribute("open", "");
  });
  return page.evaluate(async (selector) => {
    // @ts-expect-error axe is put into the page by the caller.
    const results = await globalThis.axe.run(selector, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] });
    return results.violations.map(
      (violation: { id: string; nodes: { html: string }[] }) => `${violation.id}: ${violation.nodes[0]?.html ?? ""}`,
    );
  }, part);
}

async function violationsNow(page: Page): Promise<string[]> {
  const found: string[] = [];
  // Of what the checker looks at, only colours differ in the dark.
  const rules = { light: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], dark: ["color-contrast", "link-in-text-block"] };
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const violations = await page.evaluate(async (runOnly) => {
      // @ts-expect-error axe is put into the page by the caller.
      const results = await globalThis.axe.run(document, { runOnly });
      return results.violations.map(
        (violation: { id: string; nodes: { html: string }[] }) => `${violation.id}: ${violation.nodes[0]?.html ?? ""}`,
      );
    }, rules[colorScheme]);
    found.push(...violations.map((violation: string) => `${colorScheme}, ${violation}`));
  }
  await page.emulateMedia({ colorScheme: null });
  return found;
}

/**
 * How many elements of each kind and which attributes a page has; labels and the marks of a
 * difference do not count.
 */
export const censusOf = (page: Page): Promise<Record<string, number>> =>
  page.evaluate(() => {
    const counts: Record<string, number> = {};
    for (const element of document.querySelectorAll("*")) {
      if (element.matches("b.unseen, ins, del, ins > span.sr, del > span.sr")) continue;
      for (const what of [element.tagName, ...element.getAttributeNames().map((name) => `${element.tagName} ${name}`)])
        counts[what] = (counts[what] ?? 0) + 1;
    }
    return counts;
  });
