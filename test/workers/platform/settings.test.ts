// What an operator may set, and what is not taken from a variable that is wrong.

import { describe, expect, test } from "vitest";
import type { Env } from "../../../workers/platform/env.ts";
import { settingsOf } from "../../../workers/platform/settings.ts";
import { devKey, env } from "../support/gateway.ts";
import { doctorText } from "../../../shared/words/doctor.ts";

const settings = (variables: Partial<Env>) => settingsOf({ ...env, ...variables });

describe("PUBLIC_URL", () => {
  test.each([
    ["https://gateway.example.com", "https://gateway.example.com"],
    ["https://gateway.example.com/countersign//", "https://gateway.example.com/countersign"],
    ["http://localhost:8787", "http://localhost:8787"],
    ["http://127.0.0.1:8787", "http://127.0.0.1:8787"],
    ["http://[::1]:8787", "http://[::1]:8787"],
  ])("%s is the address of links", (text, url) => {
    const { publicUrl, issues } = settings({ PUBLIC_URL: text });
    expect([publicUrl, issues.map(({ says }) => doctorText(says)).filter((issue) => issue.startsWith("PUBLIC_URL"))]).toEqual([url, []]);
  });

  test.each([
    "",
    "http://gateway.example.com",
    "http://localhost.example.com",
    "ftp://localhost",
    "gateway.example.com",
    "https://ada@gateway.example.com",
    "https://gateway.example.com/?a=1",
    "https://gateway.example.com/#a",
  ])("%j is none: no link is made, and health says why", (text) => {
    const { publicUrl, issues } = settings({ PUBLIC_URL: text });
    expect([publicUrl, issues.map(({ says }) => doctorText(says)).filter((issue) => issue.startsWith("PUBLIC_URL"))]).toEqual([
      undefined,
      [expect.any(String)],
    ]);
  });
});

test("a development key and the list of links are for a loopback address; the list is elsewhere where OUTBOX is on", () => {
  const there = { PUBLIC_URL: "https://gateway.example.com" };
  expect([settings({}), settings(there), settings({ PUBLIC_URL: "" })].map(({ devApiKey, outbox }) => [devApiKey, outbox])).toEqual([
    [devKey, true],
    [undefined, false],
    [undefined, false],
  ]);
  expect([settings({ OUTBOX: "off" }).outbox, settings({ ...there, OUTBOX: "on" }).outbox]).toEqual([false, true]);
  expect(settings({ ...there, OUTBOX: "yes" }).outbox).toBe(false);
});

describe("a secret that is refused", () => {
  const example = "change-me-change-me-change-me";

  test("is no previous LINK_KEY, no ADMIN_TOKEN and no METRICS_TOKEN", () => {
    const { keys, adminToken, metricsToken, issues } = settings({
      LINK_KEY_PREVIOUS: example,
      ADMIN_TOKEN: example,
      METRICS_TOKEN: example,
    });
    expect([keys.length, adminToken, metricsToken]).toEqual([1, undefined, undefined]);
    expect(issues.map(({ variable }) => variable)).toEqual(expect.arrayContaining(["LINK_KEY_PREVIOUS", "ADMIN_TOKEN", "METRICS_TOKEN"]));
    expect(JSON.stringify(issues)).not.toContain(example);
  });

  test("is no weak one: a CONTENT_KEY that could be guessed encrypts, and health says so", () => {
    const weak = (secret: string): boolean =>
      settings({ CONTENT_KEY: secret }).issues.some(({ says }) => doctorText(says).startsWith("CONTENT_KEY is weak"));
    expect([weak("q7Zp2mX9vB4nK8sD1fG3h"), weak("aq7kbzaqk7zbqa7bkzq7akbz"), weak("q7Zp2mX9vB4nK8sD1fG3hT")]).toEqual([true, true, false]);
  });
});

test("content is encrypted with the previous CONTENT_KEY where there is no other, and is read with both", () => {
  const [current, previous] = ["current-key-of-the-tests-0123456789", "previous-key-of-the-tests-0123456789"];
  expect(settings({ CONTENT_KEY: current, CONTENT_KEY_PREVIOUS: previous }).contentSecrets).toEqual([current, previous]);
  const alone = settings({ CONTENT_KEY: "", CONTENT_KEY_PREVIOUS: previous });
  expect(alone.contentSecrets).toEqual([previous]);
  expect(alone.issues.map(({ says }) => doctorText(says))).toContainEqual(expect.stringContaining("CONTENT_KEY is missing while"));
  expect(settings({ CONTENT_KEY: "", CONTENT_KEY_PREVIOUS: "" }).contentSecrets).toEqual([]);
});

describe("Cloudflare Access", () => {
  const audience = "0123456789abcdef";

  test("is a team's host and the application's tag", () => {
    for (const team of ["team.cloudflareaccess.com", "https://team.cloudflareaccess.com", "https://team.cloudflareaccess.com/"])
      expect(settings({ ACCESS_TEAM_DOMAIN: team, ACCESS_AUD: audience }).access).toEqual({
        issuer: "https://team.cloudflareaccess.com",
        audience,
      });
  });

  test.each([
    ["", audience],
    ["team.cloudflareaccess.com", ""],
    ["team.cloudflareaccess.com", "a tag"],
    ["http://team.cloudflareaccess.com", audience],
    ["https://team.cloudflareaccess.com/keys", audience],
    ["https://ada@team.cloudflareaccess.com", audience],
    ["https://team.cloudflareaccess.com/?a=1", audience],
  ])("signs nobody in with the team %j and the tag %j", (team, tag) => {
    const { access, issues } = settings({ ACCESS_TEAM_DOMAIN: team, ACCESS_AUD: tag });
    expect([access, issues.map(({ says }) => doctorText(says)).filter((issue) => issue.startsWith("ACCESS_"))]).toEqual([
      undefined,
      [expect.any(String)],
    ]);
  });
});

test.each(["0", "721", "-1", "x", "Infinity"])("a number out of its range (%j) is not used, and health says so", (text) => {
  const { retentionMs, issues } = settings({ RETENTION_HOURS: text });
  expect([retentionMs, issues.some(({ says }) => doctorText(says).startsWith("RETENTION_HOURS"))]).toEqual([24 * 3_600_000, true]);
});

test.each([
  [undefined, false, 0],
  ["", false, 0],
  ["behind", false, 0],
  ["before", true, 0],
  // Misspelled: no line is lost for it.
  ["Before", true, 1],
])("RECORD=%s: an answer waits for its line: %s", (RECORD, isBefore, issues) => {
  const read = settings(RECORD === undefined ? {} : { RECORD });
  expect([read.isRecordedBefore, read.issues.filter(({ variable }) => variable === "RECORD").length]).toEqual([isBefore, issues]);
});
