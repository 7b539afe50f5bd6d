import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { familyOf, stillRunning } from "../../outside/support/processes.ts";
import { eventually } from "../../outside/support/program.ts";
import { BIN, direct, type Ended, KEY, type Running, script, wrapped } from "../../outside/stdio/wrapped.ts";

const line = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`;

/** Both, one after the other: what a server does alone, and what it does behind the command. */
async function both(command: readonly string[], drive: (running: Running) => void | Promise<void>) {
  const seen = async (running: Running): Promise<{ out: string; err: string; ended: Ended }> => {
    await drive(running);
    const ended = await running.ended;
    return { out: running.stdout().toString("latin1"), err: running.stderr(), ended };
  };
  return { alone: await seen(direct(command)), behind: await seen(wrapped(command)) };
}

const echo = "process.stdin.on('data', (d) => process.stdout.write(d)); process.stdin.on('end', () => process.exit(CODE));";

describe("a server behind the command does as it does alone", () => {
  test.each([0, 1, 7, 255])("with exit code %i, what it echoes and what it logs", async (code) => {
    const command = script(`console.error('a log line'); ${echo.replace("CODE", String(code))}`);
    const { alone, behind } = await both(command, (running) => {
      running.write(line(1));
      running.write('"no message \u00fc\u2028"\r\n{"no":"line feed"}');
      running.end();
    });
    expect(behind).toEqual(alone);
    expect(alone.ended).toEqual({ code, signal: null });
    expect(alone.err).toBe("a log line\n");
  });

  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("killed by %s", async (signal) => {
    const { alone, behind } = await both(script("console.log('{}'); setInterval(() => undefined, 1000);"), async (running) => {
      await running.prints(/\{\}/);
      running.kill(signal);
    });
    expect(behind).toEqual(alone);
    expect(alone.ended).toEqual({ code: null, signal });
  });

  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("with a handler of its own for %s, called once", async (signal) => {
    const source = `let n = 0; process.on('${signal}', () => { n += 1; setTimeout(() => { console.error('handled ' + n); process.exit(3); }, 300); });
      console.log('{}'); setInterval(() => undefined, 1000);`;
    const { alone, behind } = await both(script(source), async (running) => {
      await running.prints(/\{\}/);
      running.kill(signal);
    });
    expect(behind).toEqual(alone);
    expect(alone).toMatchObject({ err: "handled 1\n", ended: { code: 3, signal: null } });
  });

  test.each(["SIGKILL", "SIGSEGV", "SIGABRT"] as const)("that dies of %s by itself, in the middle of a line", async (signal) => {
    const source = `process.stdout.write('{"whole":1}\\n{"half', () => process.kill(process.pid, '${signal}')); setInterval(() => undefined, 1000);`;
    const { alone, behind } = await both(script(source), () => undefined);
    expect(behind).toEqual(alone);
    expect(alone).toMatchObject({ out: '{"whole":1}\n{"half', ended: { code: null, signal } });
  });

  test("that ends at once, with everything that it wrote", async () => {
    const source = "for (let i = 0; i < 2000; i += 1) console.log(JSON.stringify({ i, x: 'x'.repeat(500) })); process.exitCode = 5;";
    const { alone, behind } = await both(script(source), () => undefined);
    expect(behind.out === alone.out).toBe(true);
    expect(behind.ended).toEqual({ code: 5, signal: null });
    expect(alone.out.split("\n")).toHaveLength(2_001);
  });

  test("that closes its stdin and goes on", async () => {
    const command = ["sh", "-c", "exec 0<&-; sleep 0.3; echo '{}'; exit 4"];
    const { alone, behind } = await both(command, (running) => void running.write(line(1)));
    expect(behind).toEqual(alone);
    expect(alone).toMatchObject({ out: "{}\n", ended: { code: 4 } });
  });

  test("whose reader goes away", async () => {
    // Without us it hears of it at its next write: EPIPE.
    const source = `process.stdout.on('error', (e) => { console.error(e.code); process.exit(9); });
      console.log('{}'); setInterval(() => console.log('{}'), 20);`;
    const { alone, behind } = await both(script(source), async (running) => {
      await running.prints(/\{\}/);
      running.closeStdout();
    });
    expect(behind).toMatchObject({ err: "EPIPE\n", ended: { code: 9, signal: null } });
    expect(alone).toMatchObject({ err: "EPIPE\n", ended: { code: 9, signal: null } });
  });
});

describe("a command that cannot be started", () => {
  test("ends as a shell ends: 127 where there is none, 126 where it is not executable, with one line", async () => {
    const folder = mkdtempSync(join(tmpdir(), "countersign-stdio-"));
    const file = join(folder, "not-executable");
    writeFileSync(file, "#!/bin/sh\n", { mode: 0o644 });
    const none = wrapped([join(folder, "no-such-command")]);
    expect(await none.ended).toEqual({ code: 127, signal: null });
    expect(none.stderr()).toBe(`countersign: ${join(folder, "no-such-command")}: command not found\n`);
    const plain = wrapped([file]);
    expect(await plain.ended).toEqual({ code: 126, signal: null });
    expect(plain.stderr()).toBe(`countersign: ${file}: permission denied\n`);
    expect(none.stdout().length + plain.stdout().length).toBe(0);
    rmSync(folder, { recursive: true, force: true });
  });
});

describe("the command itself", () => {
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Running =>
    direct([process.execPath, BIN, ...args], { env });

  test("refuses wrong options with 2 and the usage on stderr, and nothing on stdout", async () => {
    for (const [args, env] of [
      [["stdio", "--nonsense", "--", "true"], {}],
      [["stdio", "--", "true"], { COUNTERSIGN_API_KEY: "" }],
      [["stdio", "--url", "ftp://x", "--", "true"], {}],
      [["stdio", "--url", "http://x", "--server", "", "--", "true"], {}],
      [["stdio", "--url", "http://x", "--", "true"], { COUNTERSIGN_API_KEY: "two words" }],
    ] as const) {
      const running = run(args, env);
      expect(await running.ended).toEqual({ code: 2, signal: null });
      expect(running.stderr()).toMatch(/^countersign: .+\n\nUsage: countersign stdio/);
      expect(running.stderr()).not.toContain("two words");
      expect(running.stdout().length).toBe(0);
    }
  });

  test("prints its usage and its version on stdout", async () => {
    const help = run(["stdio", "--help"]);
    expect(await help.ended).toEqual({ code: 0, signal: null });
    expect(help.stdout().toString()).toMatch(/^Usage: countersign stdio \[options\] -- <command>/);
    const version = run(["--version"]);
    expect(await version.ended).toEqual({ code: 0, signal: null });
    expect(version.stdout().toString()).toMatch(/^\d+\.\d+\.\d+(-rc\.\d+)?\n$/);
  });

  test("keeps the API key from the server's environment, and changes nothing else in it", async () => {
    const command = script("console.log(JSON.stringify(process.env))");
    const env = { COUNTERSIGN_URL: "http://x", SOME_VALUE: "kept" };
    const alone = direct(command, { env });
    const behind = wrapped(command, { env });
    await Promise.all([alone.ended, behind.ended]);
    expect(behind.stdout().toString()).not.toContain(KEY);
    const { COUNTERSIGN_API_KEY: key, ...rest } = JSON.parse(alone.stdout().toString()) as Record<string, string>;
    expect(key).toBe(KEY);
    expect(JSON.parse(behind.stdout().toString())).toEqual(rest);
  });

  test("leaves no server behind when it is killed with -9 itself", async () => {
    const running = wrapped(script("process.stdin.on('end', () => process.exit(0)).resume(); console.log('{}');"));
    await running.prints(/\{\}/);
    const family = familyOf(running.pid);
    expect(family).toHaveLength(2);
    running.kill("SIGKILL");
    await eventually("the end of the server", () => stillRunning(family).length === 0);
  });

  test("ends though a child of the server keeps its stdout open", async () => {
    // The child says who it is, and would stay for longer than any test.
    const running = wrapped(["sh", "-c", 'sleep 600 & echo "{\\"child\\":$!}"; exit 6']);
    const child = Number((await running.prints(/"child":(\d+)/))[1]);
    await eventually("the end of the command", () => stillRunning([running.pid]).length === 0);
    expect(stillRunning([child])).toEqual([child]);
    process.kill(child);
    expect(running.stdout().toString()).toBe(`{"child":${child}}\n`);
  });

  test("passes signals that come twice, as to a server that asks for a second one", async () => {
    const source = `let n = 0; process.on('SIGINT', () => { n += 1; console.log('{"n":' + n + '}'); if (n === 2) process.exit(${128 + constants.signals.SIGINT}); });
      console.log('{}'); setInterval(() => undefined, 1000);`;
    const running = wrapped(script(source));
    await running.prints(/\{\}/);
    running.kill("SIGINT");
    await running.prints(/"n":1/);
    running.kill("SIGINT");
    expect(await running.ended).toEqual({ code: 130, signal: null });
  });
});

describe("amounts", () => {
  const size = 8 * 1024 * 1024;

  test("a line of many megabytes passes both ways, byte for byte", async () => {
    const running = wrapped(script("process.stdin.pipe(process.stdout)"));
    const text = `{"jsonrpc":"2.0","method":"notifications/x","params":{"data":"${"ü".repeat(size)}"}}\n`;
    running.write(text);
    running.write(line(2));
    running.end();
    expect(await running.ended).toEqual({ code: 0, signal: null });
    expect(running.stdout().equals(Buffer.from(text + line(2)))).toBe(true);
  });

  test("a line of the client over the limit is refused, one of the server passes unread, with a line on stderr, and the connection goes on", async () => {
    const running = wrapped(
      script(`process.stdout.write('x'.repeat(${65 * 1024 * 1024}) + '\\n', () => process.stdin.pipe(process.stdout))`),
    );
    const long = Buffer.alloc(65 * 1024 * 1024, "x");
    long[long.length - 1] = 10;
    running.write(long);
    running.write(line(2));
    running.end();
    expect(await running.ended).toEqual({ code: 0, signal: null });
    const lines = running.stdout().toString().split("\n");
    expect(lines.filter((each) => each.length < 1_000).toSorted()).toEqual(
      ["", line(2).trim(), '{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request: over 64 MiB"}}'].toSorted(),
    );
    expect(lines.map((each) => each.length).toSorted((a, b) => b - a)[0]).toBe(65 * 1024 * 1024);
    expect(running.stderr()).toBe(
      "countersign: a line of the server is over 64 MiB; it is passed on unread, and sampling in it is not answered here.\n",
    );
  });

  test("a server that floods a client that does not read is held back, and can be stopped", async () => {
    // It says on stderr how much it could get rid of.
    const source = `const x = JSON.stringify({ x: 'x'.repeat(60_000) }) + '\\n'; let sent = 0;
      const more = () => { while (process.stdout.write(x)) sent += x.length; process.stdout.once('drain', () => { sent += x.length; more(); }); };
      more(); setInterval(() => console.error('sent ' + Math.round(sent / 1e6)), 100);`;
    const running = wrapped(script(source));
    running.pause();
    const [, megabytes] = await running.prints(/sent (\d+)\n(?:sent \1\n){5}/);
    expect(Number(megabytes)).toBeLessThan(5);
    running.kill("SIGTERM");
    running.resume();
    expect(await running.ended).toEqual({ code: null, signal: "SIGTERM" });
  });

  test("a client that floods a server that does not read is held back", async () => {
    const running = wrapped(script("setInterval(() => undefined, 1000); console.log('{}')"));
    await running.prints(/\{\}/);
    const text = `{"x":"${"x".repeat(100_000)}"}\n`;
    let written = 0;
    let isFull = false;
    for (; written < 500 && !isFull; written += 1) {
      running.write(text);
      if (written % 10 === 9) await new Promise((resolve) => setTimeout(resolve, 20));
      isFull = running.backlog() > 2_000_000;
    }
    expect(isFull).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(running.backlog()).toBeGreaterThan(1_500_000);
    running.kill("SIGTERM");
    await running.ended;
  });
});
