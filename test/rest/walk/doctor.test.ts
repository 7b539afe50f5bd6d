// npm run doctor, as a person runs it: against the gateway that npm start runs, a broken one, one
// that is down, and none.

import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { devVars } from "../../../scripts/dev-vars.ts";
import { type Check, report } from "../../../client/doctor/report.ts";
import { freePort, type Gateway, startGateway } from "../../../scripts/local-gateway.ts";
import { type Program, startProgram } from "../../outside/support/program.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const vars = devVars();
const folder = mkdtempSync(join(tmpdir(), "countersign-doctor-"));
const started: (() => Promise<unknown>)[] = [];

async function stopAll(): Promise<void> {
  await Promise.all(started.splice(0).map((stop) => stop()));
}
afterEach(stopAll);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs it to its end, without a token in the environment unless one is given. */
async function doctor(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; printed: string }> {
  const program = startProgram("scripts/doctor.ts", args, { ADMIN_TOKEN: "", ...env });
  const code = await program.exited;
  const printed = program.printed();
  for (const secret of [vars.ADMIN_TOKEN, vars.LINK_KEY, vars.DEV_API_KEY]) expect(printed).not.toContain(secret);
  return { code, printed };
}

async function serve(answer: RequestListener): Promise<string> {
  const server: Server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  started.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
}

async function gatewayWith(name: string, variables: Readonly<Record<string, string>>): Promise<Gateway> {
  const gateway = await startGateway({ port: await freePort(), persistTo: join(folder, name), variables });
  started.push(() => gateway.stop());
  return gateway;
}

const linesOf = (printed: string, state: string): string[] => printed.split("\n").filter((line) => line.startsWith(`${state.padEnd(4)}  `));

describe("a gateway that answers", () => {
  test("the one of npm start is found by itself and is well; a wrong token is said to be wrong", async () => {
    const persistTo = join(folder, "start");
    const program: Program = startProgram("scripts/start.ts", [], { PORT: String(await freePort()), PERSIST_TO: persistTo });
    started.push(() => {
      program.signal("SIGTERM");
      return program.exited;
    });
    const [, url = ""] = await program.prints(/^Countersign is running at (http\S+)/m);

    const { code, printed } = await doctor([], { PERSIST_TO: persistTo });
    expect(printed).toContain(`Countersign at ${url}\n`);
    expect(linesOf(printed, "FIX")).toEqual([]);
    for (const line of [
      /^good {2}gateway +Countersign \d\S+ is running\./m,
      /^good {2}PUBLIC_URL +Review links begin with http:\/\/localhost:/m,
      /^good {2}policy +.*version 1 is in use/m,
      /^good {2}reviewers +The one reviewer/m,
      /^good {2}keys +DEV_API_KEY is accepted/m,
      /\n\nNothing needs attention\.\n$/,
    ])
      expect(printed).toMatch(line);
    expect(code).toBe(0);

    const wrong = await doctor([], { PERSIST_TO: persistTo, ADMIN_TOKEN: "not-the-token-0123456789" });
    expect(wrong.printed).toMatch(/does not accept this ADMIN_TOKEN.*\.dev\.vars.*wrangler secret put ADMIN_TOKEN/);
    expect(wrong.printed).not.toContain("not-the-token");
    expect(wrong.code).toBe(2);
  });

  test("one that is badly set up has what needs attention last, counted, each with what to do", async () => {
    const refusing = await serve((_request, response) => response.writeHead(401, { "content-type": "application/json" }).end("{}"));
    const elsewhere = await serve((_request, response) => response.writeHead(404).end());
    const gateway = await gatewayWith("broken", {
      PUBLIC_URL: elsewhere,
      RETENTION_HOURS: "0",
      LINK_KEY_PREVIOUS: "short",
      OUTBOX: "off",
      EMAIL_FROM: "nobody at all",
      SLACK_BOT_TOKEN: "xoxb-0123456789",
      LOCAL_OPENAI_BASE_URL: `${refusing}/v1`,
    });
    const { code, printed } = await doctor(["--url", gateway.url], { ADMIN_TOKEN: vars.ADMIN_TOKEN });
    const fixes = linesOf(printed, "FIX");
    expect(fixes.map((line) => line.replace(/^FIX {3}(.*?) {2}.*$/, "$1"))).toEqual(
      expect.arrayContaining(["RETENTION_HOURS", "LINK_KEY_PREVIOUS", "reviewers", "provider local", "email", "slack", "links"]),
    );
    // Nothing but the count comes after them.
    expect(printed.endsWith(`${fixes.join("\n")}\n\n${fixes.length} items need attention.\n`)).toBe(true);
    expect(printed).not.toContain(refusing);
    expect(code).toBe(1);
  });

  test("one without LINK_KEY is down, and that is the one item that needs attention", async () => {
    const gateway = await gatewayWith("down", { LINK_KEY: "short" });
    const { code, printed } = await doctor(["--url", gateway.url]);
    expect(printed).toMatch(/^FIX {3}gateway {2}The gateway is down\. LINK_KEY is missing or too short/m);
    expect(printed).toMatch(/\n1 item needs attention\.\n$/);
    expect(code).toBe(1);
  });
});

describe("what cannot be asked", () => {
  test("without a gateway it says how to start one", async () => {
    const { code, printed } = await doctor([], { PERSIST_TO: join(folder, "nobody") });
    expect(printed).toMatch(/no gateway is running with the data in .*: start one with npm start/);
    expect(code).toBe(2);
  });

  test("a secret of .dev.vars that is too short is named in one sentence", async () => {
    const checkout = join(folder, "checkout");
    for (const part of ["scripts", "client", "shared", "package.json"]) cpSync(join(root, part), join(checkout, part), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(checkout, "node_modules"));
    writeFileSync(join(checkout, ".dev.vars"), "ADMIN_TOKEN=a-token-of-this-test-0123456789\nLINK_KEY=short\n");
    const program = startProgram(join(checkout, "scripts/doctor.ts"), ["--url", "http://127.0.0.1:1"], { ADMIN_TOKEN: "" });
    const code = await program.exited;
    expect(program.printed()).toMatch(/^npm run doctor: LINK_KEY in \.dev\.vars must have 16 [^\n]*\n$/);
    expect(code).toBe(2);
  });

  test("where nothing answers, it says so", async () => {
    const { code, printed } = await doctor(["--url", `http://127.0.0.1:${await freePort()}`]);
    expect(printed).toMatch(/nothing answers at http:\/\/127\.0\.0\.1/);
    expect(code).toBe(2);
  });

  test.each<[string, RequestListener]>([
    ["another program", (_request, response) => void response.end("<!doctype html><p>Hello")],
    ["another program that has health", (_request, response) => void response.end('{"status":"ok"}')],
    ["a redirect", (_request, response) => void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end()],
  ])("%s is not taken for Countersign, and never gets the token", async (_what, answer) => {
    const tokens: unknown[] = [];
    const url = await serve((request, response) => {
      tokens.push(request.headers.authorization);
      answer(request, response);
    });
    const { code, printed } = await doctor(["--url", url], { ADMIN_TOKEN: vars.ADMIN_TOKEN });
    expect(printed).toMatch(/is not Countersign/);
    expect(code).toBe(2);
    expect(tokens).toEqual([undefined, undefined]);
  });

  test("a gateway of another version is told, and asked", async () => {
    const health = { status: "ok", problems: [] };
    const other = await doctor([
      "--url",
      await serve((request, response) => {
        const answer =
          request.url === "/healthz"
            ? health
            : request.url === "/openapi.json"
              ? { info: { title: "Countersign", version: "0.0.1" } }
              : { checks: [{ check: "policy", state: "good", text: "It serves." }], publicUrl: null };
        response.end(JSON.stringify(answer));
      }),
    ]);
    expect(other.printed).toMatch(/^note {2}gateway {2}Countersign 0\.0\.1 is running, and this checkout is/m);
    expect(other.printed).toMatch(/^good {2}policy {3}It serves\.$/m);
    expect(other.code).toBe(0);
  });

  test.each([
    ["plain http to another machine", ["--url", "http://gateway.example.com"], /must be https/],
    ["an address with a password", ["--url", "https://user:password@gateway.example.com"], /must be a plain http or https address/],
    ["no address", ["--url", "gateway"], /must be a plain http or https address/],
    ["an option that there is not", ["--x"], /usage: npm run doctor/],
    ["a deployed gateway without a token", ["--url", "https://gateway.example.com"], /set ADMIN_TOKEN in the environment/],
  ])("%s is refused before anything is sent", async (_what, args, words) => {
    const { code, printed } = await doctor(args);
    expect(printed).toMatch(words);
    expect(printed).not.toContain("password@");
    expect(code).toBe(2);
  });
});

describe("the report", () => {
  const checks: Check[] = [
    { check: "email", state: "fix", text: "Set it." },
    { check: "LINK_KEY", state: "good", text: "It is set." },
    { check: "OUTBOX", state: "note", text: "It is on." },
  ];

  test("has what works first and what needs attention last, in columns, with a count", () => {
    expect(report(checks)).toEqual({
      text: "good  LINK_KEY  It is set.\nnote  OUTBOX    It is on.\nFIX   email     Set it.\n\n1 item needs attention.",
      exitCode: 1,
    });
    expect(report(checks.slice(1))).toMatchObject({ text: expect.stringMatching(/\n\nNothing needs attention\.$/), exitCode: 0 });
  });

  test("breaks lines between words where it is told how wide they may be, and loses none", () => {
    const words = Array.from({ length: 60 }, (_, index) => `word${index}`).join(" ");
    const { text } = report([{ check: "email", state: "note", text: `${words} ${"x".repeat(90)} end` }], 60);
    const lines = text.split("\n").slice(0, -2);
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.filter((line) => line.length > 60 && !line.includes("xxx"))).toEqual([]);
    expect(lines.slice(1).every((line) => line.startsWith(" ".repeat("note  email  ".length)))).toBe(true);
    expect(lines.map((line) => line.slice("note  email  ".length)).join(" ")).toBe(`${words} ${"x".repeat(90)} end`);
    // Too narrow to break: as it comes.
    expect(report([{ check: "email", state: "note", text: words }], 20).text.split("\n")).toHaveLength(3);
  });
});
