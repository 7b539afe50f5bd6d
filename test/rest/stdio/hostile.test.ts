import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FAKE_KEY, FakeGateway, until } from "../../support/fake-gateway.ts";
import { familyOf } from "../../outside/support/processes.ts";
import { type Running, script, wrapped } from "../../outside/stdio/wrapped.ts";

let gateway: FakeGateway;
let listening: { url: string; close: () => Promise<void> };
beforeEach(async () => {
  gateway = new FakeGateway();
  listening = await gateway.listen();
});
afterEach(() => listening.close());

/** A client by hand: initialized, with one tool call open. */
function begun(source: string): Running {
  const running = wrapped(script(source), { url: listening.url, options: ["--server", "hostile"], env: { COUNTERSIGN_API_KEY: FAKE_KEY } });
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  running.write(`${JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params })}\n`);
  running.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t" } })}\n`);
  return running;
}

/** Reads lines, calls `on(message)` for each, and has `send(message)` and `sample(id)`. */
const server = (body: string): string => `
  const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
  const sample = (id, more = {}) => send({ id, method: 'sampling/createMessage', params: { messages: [{ role: 'user', content: { type: 'text', text: 'q' } }], maxTokens: 5, ...more } });
  let rest = '';
  const listen = (on) => process.stdin.on('data', (chunk) => { const lines = (rest + chunk).split('\\n'); rest = lines.pop(); for (const line of lines) on(JSON.parse(line)); });
  ${body}`;

describe("a server behind the command that", () => {
  test("dies while a person is waited for ends its session, and the command ends as it did", async () => {
    gateway.onRun = () => undefined;
    const running = begun(server("listen((m) => { if (m.method === 'tools/call') sample(7); });"));
    const run = await gateway.run(0);
    const [, child = 0] = familyOf(running.pid);
    process.kill(child, "SIGKILL");
    expect(await running.ended).toEqual({ code: null, signal: "SIGKILL" });
    expect(run.outcome).toMatchObject({ error: { code: -32800 } });
    expect(gateway.trail.filter((each) => each.startsWith("DELETE"))).toEqual([`DELETE /sessions/${run.session}`]);
    expect(running.stdout().toString()).toBe("");
  });

  test("is left by its client while a person is waited for is ended with its session", async () => {
    gateway.onRun = () => undefined;
    const running = begun(
      server("listen((m) => { if (m.method === 'tools/call') sample(7); }); process.stdin.on('end', () => process.exit(0));"),
    );
    const run = await gateway.run(0);
    running.end();
    expect(await running.ended).toEqual({ code: 0, signal: null });
    expect(run.outcome).toMatchObject({ error: { code: -32800 } });
  });

  test("ends is not waited for where the gateway has gone", async () => {
    gateway.onRun = () => undefined;
    const running = begun(
      server("listen((m) => { if (m.method === 'tools/call') sample(7); }); process.stdin.on('end', () => process.exit(8));"),
    );
    await gateway.run(0);
    await listening.close();
    running.end();
    expect(await running.ended).toEqual({ code: 8, signal: null });
  });

  test("asks a thousand times at once gets a hundred answers and nine hundred refusals, and the client its result", async () => {
    gateway.onRun = () => undefined;
    const running = begun(
      server(`
        const codes = {}; let left = 1000;
        listen((m) => {
          if (m.method === 'tools/call') for (let id = 0; id < 1000; id += 1) sample(id, { systemPrompt: 'n' + id });
          if (m.method !== undefined) return;
          const code = m.error?.code ?? 'reply'; codes[code] = (codes[code] ?? 0) + 1; left -= 1;
          if (left === 0) send({ id: 1, result: { codes } });
          if (codes[-32013] === 900 && left === 100) process.stderr.write('all refused\\n');
        });`),
    );
    await running.prints(/all refused/);
    await until(() => gateway.runs.length === 100);
    for (const run of gateway.runs) run.reply("well");
    await running.prints(/"codes"/);
    expect(JSON.parse(running.stdout().toString())).toMatchObject({ id: 1, result: { codes: { "-32013": 900, reply: 100 } } });
    running.kill("SIGTERM");
    await running.ended;
  });

  test("asks for ever and never reads its answers is held back in the end", async () => {
    // Long ids, because the answers repeat them.
    const running = begun(
      server(`
        const id = 'x'.repeat(50_000); let n = 0;
        const more = () => { for (;;) { n += 1; if (!sample(id + n)) break; } process.stdout.once('drain', more); };
        more(); setInterval(() => process.stderr.write('sent ' + n + '\\n'), 100);`),
    );
    const [, sent] = await running.prints(/sent (\d+)\n(?:sent \1\n){10}/);
    expect(Number(sent) * 50_000).toBeLessThan(64 * 1024 * 1024);
    expect((running.stderr().match(/^countersign: .*$/gm) ?? []).length).toBeLessThanOrEqual(1);
    running.kill("SIGTERM");
    expect(await running.ended).toEqual({ code: null, signal: "SIGTERM" });
  });

  test("asks in a batch (2025-03-26) is answered, and the rest of the batch passes", async () => {
    const running = begun(
      server(`
        const batch = (...messages) => process.stdout.write(JSON.stringify(messages.map((m) => ({ jsonrpc: '2.0', ...m }))) + '\\n');
        const params = { messages: [{ role: 'user', content: { type: 'text', text: 'q' } }], maxTokens: 5 };
        listen((m) => {
          if (m.method === 'tools/call') batch({ method: 'notifications/message', params: { level: 'info', data: 1 } }, { id: 5, method: 'sampling/createMessage', params });
          if (m.method === undefined) batch({ id: 1, result: { got: m } });
        });`),
    );
    await running.prints(/"got"/);
    const lines = running.stdout().toString().trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      [{ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: 1 } }],
      [
        {
          jsonrpc: "2.0",
          id: 1,
          result: { got: expect.objectContaining({ id: 5, result: expect.objectContaining({ model: "fake-model" }) }) },
        },
      ],
    ]);
    running.kill("SIGTERM");
    await running.ended;
  });

  test("writes nonsense between its messages is passed as it is, and its sampling is answered all the same", async () => {
    const nonsense = ["no json", "{", '{"jsonrpc":"2.0","id":1', "\\u0000", "[[[]]]", '{"method":"sampling/createMessage"}'];
    const running = begun(
      server(`
        listen((m) => {
          if (m.method === 'tools/call') { process.stdout.write(${JSON.stringify(nonsense.map((each) => `${each}\n`).join(""))}); sample(5); }
          if (m.method === undefined) send({ id: 1, result: { got: m } });
        });`),
    );
    await running.prints(/"got"/);
    const lines = running.stdout().toString().trimEnd().split("\n");
    expect(lines.slice(0, -1)).toEqual(nonsense);
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ id: 1, result: { got: { id: 5, result: { model: "fake-model" } } } });
    running.kill("SIGTERM");
    await running.ended;
  });
});
