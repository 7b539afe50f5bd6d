// What the inbox says of a reviewer's devices: what the last press came to, and what each is
// called.

/** `full`: as many devices are on as may be. `refused`: what the browser gave cannot be used. */
export const deviceSayings = ["on", "off", "refused", "full", "busy"] as const;
export type DeviceSaid = (typeof deviceSayings)[number];

const browsers = [
  ["Edge", /\bEdg(?:A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|CriOS|HeadlessChrome)\//],
  ["Safari", /\bSafari\//],
] as const;

const systems = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMacintosh\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b/],
] as const;

/**
 * A name to tell devices apart by, of what a browser says of itself.
 * @param agent The header `User-Agent`.
 */
export function deviceLabel(agent: string): string {
  const of = (known: readonly (readonly [string, RegExp])[]): string[] =>
    known.filter(([, pattern]) => pattern.test(agent)).map(([name]) => name);
  const [browser] = of(browsers);
  const [system] = of(systems);
  return [browser, system].filter((each) => each !== undefined).join(" · ");
}
