// Reads a review page's form and posts it as a browser would, for demos and tests without a person.
// It bypasses no check: it uses the page's own link, nonce and fields.

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", "#39": "'" };

const decode = (text: string): string =>
  text.replaceAll(/&(#x[0-9a-f]+|#[0-9]+|[a-z]+);/gi, (whole, name: string) => {
    const known = entities[name.toLowerCase()];
    if (known !== undefined) return known;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : name.startsWith("#") ? Number(name.slice(1)) : Number.NaN;
    return Number.isNaN(code) ? whole : String.fromCodePoint(code);
  });

const attributes = (tag: string): Map<string, string> =>
  new Map([...tag.matchAll(/([a-z-]+)(?:="([^"]*)")?/gi)].map(([, name, value]) => [(name ?? "").toLowerCase(), decode(value ?? "")]));

export type PageForm = { readonly action: string; readonly fields: URLSearchParams };

/**
 * A page's decision form with the fields that a browser would send unchanged; null where the page
 * has none.
 */
export function readForm(html: string, pageUrl: string): PageForm | null {
  const form = /<form\b([^>]*)>([\s\S]*?)<\/form>/i.exec(html);
  if (form === null) return null;
  const fields = new URLSearchParams();
  for (const [whole, inputAttributes, areaAttributes = "", text = "", listAttributes, options = ""] of (form[2] ?? "").matchAll(
    /<input\b([^>]*)>|<textarea\b([^>]*)>([\s\S]*?)<\/textarea>|<select\b([^>]*)>([\s\S]*?)<\/select>/gi,
  )) {
    const given = attributes(inputAttributes ?? listAttributes ?? areaAttributes);
    const name = given.get("name");
    if (name === undefined || given.has("disabled")) continue;
    if (listAttributes !== undefined) {
      const choices = [...options.matchAll(/<option\b([^>]*)>/gi)].map(([, each]) => attributes(each ?? ""));
      const chosen = choices.find((each) => each.has("selected")) ?? choices[0];
      if (chosen !== undefined) fields.append(name, chosen.get("value") ?? "");
      continue;
    }
    const type = given.get("type") ?? "text";
    if ((type === "radio" || type === "checkbox") && !given.has("checked")) continue;
    // The HTML parser drops the first line feed of a textarea.
    const value = whole.toLowerCase().startsWith("<textarea") ? decode(text).replace(/^\n/, "") : (given.get("value") ?? "");
    fields.append(name, value);
  }
  return { action: new URL(attributes(form[1] ?? "").get("action") ?? "", pageUrl).href, fields };
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Presses a button of the form. Those of Approve and of a written reply have the number of changes,
 * and the form says that the page showed them, as its script would.
 */
export function pressButton(act: string, untouched: URLSearchParams, fields: URLSearchParams): void {
  fields.set("act", act);
  if (act === "answer") {
    const isWritten = (fields.get("answer") ?? "").trim() !== "";
    fields.set("act", isWritten ? "answer:1" : "answer:0");
    if (isWritten) fields.set("shown", "live");
  }
  if (act !== "approve") return;
  // A browser sends every line end as CRLF.
  const plain = (text: string | null): string | undefined => text?.replaceAll(/\r\n?/g, "\n");
  const isEditable = (name: string): boolean => name === "model" || name.startsWith("edit:");
  const differ = [...fields].filter(([name, text]) => isEditable(name) && plain(untouched.get(name)) !== plain(text));
  fields.set("act", `approve:${differ.length}`);
  if (differ.length > 0) fields.set("shown", "live");
}

/**
 * Opens a review link, and presses a button a second later, since the gateway refuses faster
 * decisions. `change` edits the fields.
 */
export async function decideByLink(
  link: string,
  act: "approve" | "deny" | "handOver" | "notMine" | "fill",
  change: (fields: URLSearchParams) => void = () => {},
): Promise<Response> {
  const page = await fetch(link);
  const form = readForm(await page.text(), link);
  if (form === null) throw new Error(`no form at this link: ${page.status}`);
  const untouched = new URLSearchParams(form.fields);
  change(form.fields);
  pressButton(act, untouched, form.fields);
  await pause(1_100);
  return fetch(form.action, {
    method: "POST",
    body: form.fields,
    redirect: "manual",
    headers: { Origin: new URL(link).origin },
  });
}
