// Push messages are sealed as RFC 8291 says: its own example, and what a browser reads.

import { expect, test } from "vitest";
import { encryptMessage } from "../../../workers/channels/push/message-encryption.ts";
import { ScriptedPushService, base64url, bytesOf, openMessage } from "../../support/push-service.ts";

test("the example of RFC 8291, section 5, comes out to the letter", async () => {
  const publicKey = bytesOf("BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8");
  const jwk = {
    kty: "EC",
    crv: "P-256",
    x: base64url(publicKey.slice(1, 33)),
    y: base64url(publicKey.slice(33)),
    d: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
  };
  const privateKey = await crypto.subtle.importKey("jwk", jwk, { name: "ECDH", namedCurve: "P-256" }, false, ["deriveBits"]);
  const browser = {
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg",
  };
  const plain = "When I grow up, I want to be a watermelon";
  const ephemeral = { privateKey, publicKey, salt: bytesOf("DGv6ra1nlYgDCS1FRnbzlw") };
  expect(base64url(await encryptMessage(plain, browser, plain.length, ephemeral))).toBe(
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
  );
});

test("a message of any length has the same length on its way, and nobody but its browser opens it", async () => {
  const service = new ScriptedPushService("https://push.example.com");
  const [ada, eve] = await Promise.all([service.subscribe("ada"), service.subscribe("eve")]);
  const said = ["", "a", "界".repeat(600), "x".repeat(3_993)];
  const sealed = await Promise.all(said.map((text) => encryptMessage(text, ada, 3_993)));
  expect(new Set(sealed.map(({ length }) => length))).toEqual(new Set([4_096]));
  expect(await Promise.all(sealed.map((body) => openMessage(body, ada.keys)))).toEqual(said);
  for (const body of sealed) await expect(openMessage(body, eve.keys)).rejects.toThrow();
  await expect(encryptMessage("x".repeat(3_994), ada, 3_993)).rejects.toThrow("too long");
  // Each has keys of its own.
  expect(new Set(sealed.map((body) => base64url(body.slice(0, 86)))).size).toBe(said.length);
});
