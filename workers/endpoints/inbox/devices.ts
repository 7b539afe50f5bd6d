// The devices on which a signed-in reviewer gets push notices: turned on and off in their inbox,
// which an app that a phone installs can show too. The files of that app are the same for
// everybody.

import { Hono } from "hono";
import { fromBase64url } from "../../../shared/encoding.ts";
import { parseSubscription } from "../../../shared/channels/push/subscription.ts";
import { readJsonOf } from "../../../shared/json/json-of.ts";
import type { JsonObject } from "../../../shared/json-types.ts";
import { type DeviceSaid, deviceLabel, deviceSayings } from "../../../shared/review/devices.ts";
import { formFields } from "../../../shared/review/form.ts";
import { addressDigest, inboxNameOf, secretDigest } from "../../../shared/review/inbox.ts";
import { importPublicKey } from "../../channels/push/message-encryption.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import { devicesUrl, inboxUrl, pathOfUrl, paths } from "../../platform/urls.ts";
import type { DeviceInput } from "../../stubs/inbox-calls.ts";
import { configStub, inboxStub } from "../../stubs/stubs.ts";
import type { AppFileName } from "../../ui/inbox/app-files.ts";
import type { DevicesInput } from "../../ui/inbox/devices.tsx";
import type { App, AppContext } from "../app-context.ts";
import { isFlooding } from "../auth.ts";
import { asPage, asText, formRefusals, inPath, pageRefusals } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { errorPage } from "../page-answer.ts";
import { answerFault } from "../review/review.ts";
import { noSuchLink, readForm } from "../review/review-link.ts";
import { readerForm, visitorOf } from "./admitted.ts";
import { writeOwnEntry } from "./own-entry.ts";
import { type Reader, currentDocuments, inboxSettings, peopleOf, readerNonce } from "./reader.ts";

export const deviceRoutes = new Hono<App>();

/**
 * What the inbox shows of devices; null where it cannot say, which keeps nothing else from being
 * shown.
 */
export async function devicesInput(c: AppContext, reader: Reader): Promise<DevicesInput | null> {
  const { publicUrl } = reader.settings;
  try {
    const devices = await inboxStub(c.env, reader.inbox).devices(visitorOf(reader));
    if (devices === null) return null;
    const asked = c.req.query("device");
    const said = deviceSayings.find((each) => each === asked) ?? null;
    return {
      action: pathOfUrl(devicesUrl(reader.home)),
      nonce: readerNonce(reader, "devices"),
      devices: readJsonOf(devices),
      // Another isolate may have the policy of a moment ago.
      isUsed: said === "on" || reader.person.push !== undefined,
      said,
      app: { home: pathOfUrl(inboxUrl(publicUrl)), inbox: reader.inbox },
    };
  } catch (error) {
    logEvent("inbox.devicesFailed", { error: errorClass(error) });
    return null;
  }
}

const setDevice = describe("setDevice", {
  summary:
    "The inbox's form of a device: turns push notices on or off there, and in the policy for the signed-in reviewer alone. Before that its script asks for the key to subscribe with",
  body: { type: "application/x-www-form-urlencoded" },
  200: asText("text/plain", "The gateway's public key (RFC 8292), made where it was never asked for"),
  303: { description: "Done, or why not, which the inbox shows", headers: { Location: "The inbox" } },
  403: asPage("From another site, not this session's form, or not signed in"),
  404: asPage("No PUBLIC_URL is configured"),
  ...formRefusals,
});

deviceRoutes.post(paths.inboxDevices, setDevice, async (c) => {
  const form = await readerForm(c, "devices");
  if (form instanceof Response) return form;
  const { reader, fields } = form;
  const act = fields.get(formFields.act);
  if (act === "key") return c.text(await configStub(c.env).pushKey(), 200, { "Cache-Control": "no-store" });
  const said = act === "off" ? await turnOff(c, reader, fields.get("device") ?? "") : await turnOn(c, reader, fields);
  return c.body(null, 303, { Location: `${reader.home}?device=${said}#devices`, "Cache-Control": "no-store" });
});

async function turnOn(c: AppContext, reader: Reader, fields: URLSearchParams): Promise<DeviceSaid> {
  const label = deviceLabel(c.req.header("User-Agent") ?? "");
  const device = await deviceIn(c, fields, {
    label,
    secret: fields.get("secret") ?? "",
    publicUrl: reader.settings.publicUrl,
  });
  if (device === null) return "refused";
  const added = await inboxStub(c.env, reader.inbox).addDevice(visitorOf(reader), device);
  if (added !== "added") return added ?? "refused";
  // Whoever has an order of channels wants to hear by this one: it is the first.
  const written = await writeOwnEntry(c, reader.person, (entry) => ordered({ ...entry, push: "on" }, (others) => ["push", ...others]));
  return written === "saved" ? "on" : "busy";
}

async function turnOff(c: AppContext, reader: Reader, id: string): Promise<DeviceSaid> {
  const left = await inboxStub(c.env, reader.inbox).removeDevice(visitorOf(reader), id);
  if (left !== 0) return left === null ? "refused" : "off";
  const written = await writeOwnEntry(c, reader.person, ({ push: _on, ...entry }) => ordered(entry, (others) => others));
  return written === "saved" ? "off" : "busy";
}

/**
 * The entry with push at its place in `notify`, where there is an order; without one that is empty.
 */
function ordered({ notify, ...entry }: JsonObject, place: (others: readonly string[]) => readonly string[]): JsonObject {
  const order = Array.isArray(notify) ? place(notify.map(String).filter((name) => name !== "push")) : [];
  return order.length === 0 ? entry : { ...entry, notify: [...order] };
}

type DeviceParts = Pick<DeviceInput, "label" | "secret"> & { readonly publicUrl: string };

const leastSecretBytes = 32;

/** The subscription of a form, with the gateway's key; null where it is none that can be used. */
async function deviceIn(c: AppContext, fields: URLSearchParams, { publicUrl, secret, ...parts }: DeviceParts): Promise<DeviceInput | null> {
  const of = (name: string): string => fields.get(name) ?? "";
  const subscription = parseSubscription({ endpoint: of("endpoint"), p256dh: of("p256dh"), auth: of("auth") }, publicUrl);
  if (subscription === null || (fromBase64url(secret)?.length ?? 0) < leastSecretBytes) return null;
  const isOnCurve = await importPublicKey(subscription.p256dh).then(
    () => true,
    () => false,
  );
  return isOnCurve ? { ...parts, ...subscription, secret: secretDigest(secret), key: await configStub(c.env).pushKey() } : null;
}

const renewDevice = describe("renewDevice", {
  summary: "A device's own service worker gives the subscription that its browser has now, with the secret of the one before",
  body: { type: "application/x-www-form-urlencoded" },
  204: "Kept in place of the one before",
  400: asPage("Not in UTF-8"),
  403: asPage("From another site"),
  404: asPage("There is no such device, or the subscription cannot be used"),
  ...formRefusals,
});

deviceRoutes.post(paths.inboxDeviceRenewal, renewDevice, async (c) => {
  const settings = inboxSettings(c);
  if (settings === null) return noSuchLink(c);
  if (await isFlooding(c, "sign-ins")) return errorPage(c, "tooMany", 429);
  const body = await readForm(c, { settings }, 10_000);
  if (body instanceof Response) return body;
  const fields = new URLSearchParams(body.text);
  const [inbox = "", secret = ""] = (fields.get("token") ?? "").split(".");
  const person = peopleOf((await currentDocuments(c)).policy).find(({ name }) => inboxNameOf(name) === inbox);
  const device = person === undefined ? null : await deviceIn(c, fields, { label: "", secret, publicUrl: settings.publicUrl });
  if (person === undefined || device === null) return noSuchLink(c);
  return (await inboxStub(c.env, inbox).renewDevice(addressDigest(person.email), device)) ? c.body(null, 204) : noSuchLink(c);
});

const everywhere = { 404: asPage("There is no such file, or no PUBLIC_URL is configured"), ...pageRefusals };

const showPushWorker = describe("showPushWorker", {
  summary: "The service worker that shows notices. It stores no page, and answers no request of one",
  200: asText("text/javascript", "The script"),
  ...everywhere,
});
const showManifest = describe("showManifest", {
  summary: "What a phone needs to install the inbox as an app",
  200: asText("application/manifest+json", "The manifest"),
  ...everywhere,
});
const showIcon = describe("showInboxIcon", {
  summary: "A picture of that app",
  parameters: [inPath("name", "192.png or 512.png")],
  200: asText("image/png", "The picture"),
  ...everywhere,
});

/**
 * The same for everybody: nothing in it is of a person. It may do nothing but connect to the
 * gateway.
 */
async function appFile(c: AppContext, name: AppFileName): Promise<Response> {
  const settings = inboxSettings(c);
  if (settings === null) return noSuchLink(c);
  const { type, body } = await c.env.PAGES.inboxFile(name, pathOfUrl(inboxUrl(settings.publicUrl)));
  return new Response(body, {
    headers: {
      "Content-Type": type,
      "Content-Security-Policy": "default-src 'none'; connect-src 'self'; img-src 'self'",
      "Cache-Control": "no-cache",
      "X-Content-Type-Options": "nosniff",
      "Cross-Origin-Resource-Policy": "same-origin",
    },
  });
}

deviceRoutes.get(paths.inboxPushWorker, showPushWorker, (c) => appFile(c, "worker"));
deviceRoutes.get(paths.inboxManifest, showManifest, (c) => appFile(c, "manifest"));
deviceRoutes.get(paths.inboxIcon, showIcon, (c) => {
  const name = (["192.png", "512.png"] as const).find((each) => each === c.req.param("name"));
  return name === undefined ? noSuchLink(c) : appFile(c, name);
});

for (const [path, allow] of [
  [paths.inboxDevices, "POST"],
  [paths.inboxDeviceRenewal, "POST"],
  [paths.inboxPushWorker, "GET, HEAD"],
  [paths.inboxManifest, "GET, HEAD"],
  [paths.inboxIcon, "GET, HEAD"],
] as const)
  deviceRoutes.all(path, (c) => errorPage(c, "badRequest", 405, { Allow: allow }));

deviceRoutes.onError(answerFault);
