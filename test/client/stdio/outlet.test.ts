import { Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { Outlet } from "../../../client/stdio/outlet.ts";
import { settle } from "../manual-timing.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A stream that takes nothing until it is told to, with room for four bytes. */
function reluctant() {
  const intercepted: string[] = [];
  const waiting: (() => void)[] = [];
  const stream = new Writable({
    highWaterMark: 4,
    write(chunk, _encoding, done) {
      waiting.push(() => {
        intercepted.push(String(chunk));
        done();
      });
    },
  });
  let broken = 0;
  const outlet = new Outlet(stream, () => (broken += 1));
  const take = async (): Promise<void> => {
    waiting.shift()?.();
    await settle();
  };
  return { stream, outlet, intercepted, take, broken: () => broken };
}

const isOver = async (work: Promise<unknown>): Promise<boolean> => {
  let over = false;
  void work.then(() => (over = true));
  await settle();
  return over;
};

describe("the end that lines are written to", () => {
  test("holds what passes back until there is room, and our own lines never", async () => {
    const { outlet, intercepted, take } = reluctant();
    const passed = outlet.pass(bytesOf("12345\n"), true);
    expect(await isOver(passed)).toBe(false);
    outlet.say("ours");
    await take();
    expect(await isOver(passed)).toBe(false);
    await take();
    expect(await isOver(passed)).toBe(true);
    expect(intercepted.join("")).toBe("12345\nours\n");
  });

  test("puts our own lines between lines, never into one", async () => {
    const { outlet, intercepted, take } = reluctant();
    void outlet.pass(bytesOf("a"), false);
    outlet.say("first\n");
    void outlet.pass(bytesOf("b"), false);
    outlet.say("second");
    void outlet.pass(bytesOf("c\n"), true);
    void outlet.pass(bytesOf("d\n"), true);
    for (let i = 0; i < 8; i += 1) await take();
    expect(intercepted.join("")).toBe("abc\nfirst\nsecond\nd\n");
  });

  test("tells when our own unread lines are many, leaving out what passes", async () => {
    const { outlet, take } = reluctant();
    void outlet.pass(bytesOf("much that passes\n"), true);
    expect(await isOver(outlet.ownBacklogBelow(0))).toBe(true);
    outlet.say("x".repeat(20));
    const below = outlet.ownBacklogBelow(20);
    expect(await isOver(below)).toBe(false);
    await take();
    expect(await isOver(below)).toBe(false);
    await take();
    expect(await isOver(below)).toBe(true);
  });

  test("drops everything, waits for nothing and says so once, when the other end is gone", async () => {
    const { outlet, stream, broken } = reluctant();
    const passed = outlet.pass(bytesOf("12345\n"), true);
    const flushed = outlet.flushed();
    stream.destroy(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
    expect(await isOver(passed)).toBe(true);
    expect(await isOver(flushed)).toBe(true);
    await outlet.pass(bytesOf("more\n"), true);
    outlet.say("more");
    outlet.end();
    expect(broken()).toBe(1);
  });

  test("is flushed when everything was taken", async () => {
    const { outlet, take } = reluctant();
    void outlet.pass(bytesOf("a\n"), true);
    const flushed = outlet.flushed();
    outlet.say("ours");
    expect(await isOver(flushed)).toBe(false);
    await take();
    expect(await isOver(flushed)).toBe(false);
    await take();
    expect(await isOver(flushed)).toBe(true);
  });
});
