// Where a browser may have the gateway post to.

import { expect, test } from "vitest";
import { parseSubscription } from "../../../shared/channels/push/subscription.ts";

const p256dh = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
const auth = "BTBZMqHH6r4Tts7J_aSIgg";
const published = "https://reviews.example.com";
const read = (endpoint: string, publicUrl = published): string | undefined =>
  parseSubscription({ endpoint, p256dh, auth }, publicUrl)?.endpoint;

test.each([
  "https://fcm.googleapis.com/fcm/send/abc:def",
  "https://updates.push.services.mozilla.com/wpush/v2/gAAA",
  "https://web.push.apple.com/QGuQ",
  "https://wns2-db5p.notify.windows.com/w/?token=BQYA",
])("%s is taken as it is", (endpoint) => {
  expect(read(endpoint)).toBe(endpoint);
});

test.each([
  "127.0.0.1",
  "localhost",
  "a.localhost",
  "127.1",
  "2130706433",
  "0x7f000001",
  "0177.0.0.1",
  "0.0.0.0",
  "[::1]",
  "[::ffff:127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[fc00::1]",
  "[fe80::1]",
  "10.0.0.1",
  "192.168.1.1",
  "169.254.169.254",
  "100.64.0.1",
  "router",
  "printer.local",
])("the host %s is inside, and refused", (host) => {
  expect(read(`https://${host}/push`)).toBeUndefined();
});

test.each([
  "http://fcm.googleapis.com/x",
  "https://u:p@fcm.googleapis.com/",
  "https://fcm.googleapis.com:8443/",
  "https://a.example/#x",
  "ftp://a.example/",
])("%s is refused", (endpoint) => {
  expect(read(endpoint)).toBeUndefined();
});

test("a gateway on this machine may post to it, and one elsewhere may not", () => {
  const endpoint = "http://127.0.0.1:9000/push";
  expect([read(endpoint, "http://localhost:8787"), read(endpoint)]).toEqual([endpoint, undefined]);
});

test("keys of another length or form are refused", () => {
  const of = (changes: object) => parseSubscription({ endpoint: "https://a.example/", p256dh, auth, ...changes }, published);
  expect(of({})).not.toBeNull();
  for (const wrong of [
    { auth: "AAAA" },
    { auth: `${auth}==` },
    { p256dh: p256dh.slice(4) },
    { p256dh: `AA${p256dh.slice(2)}` },
    { p256dh: "" },
  ])
    expect(of(wrong)).toBeNull();
});
