import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type RelaySession, eventPrefix, parseEventId, parseRelaySession, relaySessionId } from "../../../shared/relay/session-id.ts";
import { type SigningKeys, signingKey } from "../../../shared/sealed-id.ts";

const current = signingKey("the first secret, long enough");
const older = signingKey("the second secret, long enough");
const keys: SigningKeys = [current];

const session: RelaySession = {
  key: "key_1",
  server: "notes",
  upstream: "5f0f6f6c-3b1a-4a0e-9a44-1a2b3c4d5e6f",
  revision: "2025-11-25",
  clientSamples: false,
  clientFills: false,
  clientElicits: false,
  clientRoots: false,
  name: "AAAAAAAAAAAAAAAAAAAAAA",
};
const sessions = fc.record<RelaySession>({
  key: fc.string({ maxLength: 40 }),
  server: fc.string({ maxLength: 64 }),
  upstream: fc.option(fc.string({ maxLength: 200 })),
  revision: fc.constantFrom("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"),
  clientSamples: fc.boolean(),
  clientFills: fc.boolean(),
  clientElicits: fc.boolean(),
  clientRoots: fc.boolean(),
  name: fc.string({ maxLength: 22 }),
});
const sealed = (of: RelaySession, by: SigningKeys = keys): string => relaySessionId(by, of) ?? "";

/**
 * Every text that differs from this one in one character, is one shorter or longer, or has two
 * characters changed places.
 */
function mutationsOf(text: string): Set<string> {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/. ";
  const changed = new Set<string>();
  for (let at = 0; at < text.length; at += 1) {
    for (const character of alphabet) changed.add(text.slice(0, at) + character + text.slice(at + 1));
    changed.add(text.slice(0, at) + text.slice(at + 1));
    changed.add(`${text.slice(0, at)}A${text.slice(at)}`);
    changed.add(text.slice(0, at) + (text[at + 1] ?? "") + (text[at] ?? "") + text.slice(at + 2));
  }
  for (const text_ of [`${text}=`, ` ${text}`, `${text} `, text.toLowerCase(), text.toUpperCase(), ""]) changed.add(text_);
  changed.delete(text);
  return changed;
}

describe("a session id", () => {
  test("gives back the session that it was made of, to its key and server", () => {
    fc.assert(fc.property(sessions, (each) => void expect(parseRelaySession(keys, sealed(each), each.key, each.server)).toEqual(each)));
  });

  test("is a header's text of visible ASCII", () => {
    fc.assert(fc.property(sessions, (each) => void expect(sealed(each)).toMatch(/^[\x21-\x7e]{1,4096}$/)));
  });

  test("opens nothing with another API key or for another server", () => {
    fc.assert(
      fc.property(sessions, fc.string(), (each, other) => {
        if (other !== each.key) expect(parseRelaySession(keys, sealed(each), other, each.server)).toBeUndefined();
        if (other !== each.server) expect(parseRelaySession(keys, sealed(each), each.key, other)).toBeUndefined();
      }),
    );
  });

  test("is none with any one character changed, left out, added or moved", () => {
    for (const text of mutationsOf(sealed(session))) expect(parseRelaySession(keys, text, session.key, session.server)).toBeUndefined();
  });

  test("is the server's own no more: what a server calls its session opens nothing", () => {
    expect(parseRelaySession(keys, session.upstream ?? "", session.key, session.server)).toBeUndefined();
  });

  test("lives on under a key that is still accepted, and dies with it", () => {
    const id = sealed(session, [older]);
    expect(parseRelaySession([current, older], id, session.key, session.server)).toEqual(session);
    expect(parseRelaySession([current], id, session.key, session.server)).toBeUndefined();
  });

  test("is not made where it would be too long for a header", () => {
    expect(relaySessionId(keys, { ...session, upstream: "x".repeat(2_000) })).not.toBeNull();
    expect(relaySessionId(keys, { ...session, upstream: "x".repeat(4_096) })).toBeNull();
  });

  test("of any length that was never sealed is none", () => {
    fc.assert(fc.property(fc.string({ maxLength: 300 }), (text) => void expect(parseRelaySession(keys, text, "", "")).toBeUndefined()));
    expect(parseRelaySession(keys, "A".repeat(100_000), session.key, session.server)).toBeUndefined();
  });
});

describe("an event id that was marked", () => {
  const request = JSON.stringify({ id: 7, method: "tools/call", name: "summarize" });

  test("gives back the server's own and the request, whatever characters the server's has", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (own, of) => {
        const wellFormed = of.toWellFormed();
        expect(parseEventId(keys, session.name, eventPrefix(keys, session.name, wellFormed) + own)).toEqual({ request: wellFormed, own });
      }),
    );
  });

  test("is none in another session", () => {
    expect(parseEventId(keys, `${session.name}A`, `${eventPrefix(keys, session.name, request)}1`)).toBeUndefined();
  });

  test("is none with any one character of its mark changed, left out, added or moved", () => {
    const prefix = eventPrefix(keys, session.name, request);
    for (const text of mutationsOf(prefix.slice(0, -1))) expect(parseEventId(keys, session.name, `${text}.1`)).toBeUndefined();
    expect(parseEventId(keys, session.name, `${prefix.slice(0, -1)}1`)).toBeUndefined();
  });

  test("is none where it is the server's own, or a session id", () => {
    for (const id of ["1", "", ".", "a.b", "550e8400-e29b-41d4-a716-446655440000_1", `${sealed(session)}.1`])
      expect(parseEventId(keys, session.name, id)).toBeUndefined();
  });

  test("cannot be made a session id of", () => {
    expect(parseRelaySession(keys, eventPrefix(keys, session.name, request).slice(0, -1), session.name, request)).toBeUndefined();
  });
});
