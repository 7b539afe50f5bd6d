// Which addresses lead to the gateway: its host in every spelling, and on a developer's machine
// every name that the machine has.

import { describe, expect, test } from "vitest";
import { leadsTo } from "../../../shared/relay/url-elicitation.ts";

const local = "http://localhost:8787";
const remote = "https://gate.example.com";

describe("an address leads to the gateway", () => {
  test.each([
    "http://localhost:8787/r/x",
    "HTTP://LOCALHOST.:8787/",
    "https://user:pass@localhost:8787/",
    "http://127.0.0.1:8787/",
    "http://127.1:8787/",
    "http://2130706433:8787/",
    "http://0x7f.0.0.1:8787/",
    "http://127.8.9.1:8787/",
    "http://0.0.0.0:8787/",
    "http://0:8787/",
    "http://[::1]:8787/",
    "http://[0:0:0:0:0:0:0:1]:8787/",
    "http://[::]:8787/",
    "http://[::ffff:127.0.0.1]:8787/",
    "http://[::ffff:7f00:1]:8787/",
    "http://[::127.0.0.1]:8787/",
    "http://[::ffff:0.0.0.0]:8787/",
    "http://anything.localhost:8787/",
    "http:\\\\localhost:8787/",
    "ws://localhost:8787/",
    "localhost:8787/r/x",
    "//127.0.0.1:8787/r/x",
    " \thttp://localhost:8787/",
    "view-source:http://localhost:8787/",
  ])("on this machine: %s", (url) => {
    expect(leadsTo(url, local)).toBe(true);
    expect(leadsTo(url, "http://127.0.0.1:8787")).toBe(true);
    expect(leadsTo(url, remote)).toBe(false);
  });

  test.each(["https://gate.example.com/r/x", "http://GATE.example.com.:443/", "//gate.example.com/inbox", "gate.example.com/inbox"])(
    "elsewhere: %s",
    (url) => {
      expect(leadsTo(url, remote)).toBe(true);
      expect(leadsTo(url, local)).toBe(false);
    },
  );

  test.each([
    "http://localhost:8788/",
    "https://idp.example.com/authorize?redirect=http://localhost:8787/",
    "https://notlocalhost:8787/",
    "https://128.0.0.1:8787/",
    "http://[2001:db8::1]:8787/",
    "http://[::128.0.0.1]:8787/",
    "https://idp.example.com:8787/",
    "not an address",
    "",
    7,
    null,
  ])("not: %s", (url) => {
    expect(leadsTo(url, local)).toBe(false);
    expect(leadsTo(url, remote)).toBe(false);
  });
});
