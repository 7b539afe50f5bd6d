// What is read of a provider's stream, and when it is let go of.

import { describe, expect, test } from "vitest";
import type { StreamReader } from "../../../shared/provider/text-deltas.ts";
import { readEvents } from "../../../workers/providers/provider-exchange.ts";

const mega = 1024 * 1024;
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A body of these chunks, and whether it was let go of before its end. */
function bodyOf(chunks: Iterable<string>) {
  const left = chunks[Symbol.iterator]();
  const seen = { letGo: false, given: 0 };
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const next = left.next();
      if (next.done === true) return controller.close();
      seen.given += next.value.length;
      controller.enqueue(encode(next.value));
    },
    cancel: () => {
      seen.letGo = true;
    },
  });
  return { seen, response: new Response(body) };
}
function* times(count: number, chunk: string): Generator<string> {
  for (let at = 0; at < count; at += 1) yield chunk;
}

/** Keeps the lengths of what it takes, and is done with "end". */
function reader(take: (data: string) => ReturnType<StreamReader["take"]> = (data) => (data === "end" ? "end" : "more")) {
  let characters = 0;
  let whole = false;
  return {
    take: (data: string) => {
      characters += data.length;
      const taken = take(data);
      whole ||= taken === "end";
      return taken;
    },
    isWhole: () => whole,
    response: () => "the whole",
    usage: () => undefined,
    characters: () => characters,
  } satisfies StreamReader;
}
const tooLarge = { ok: false, error: { kind: "brokenAnswer", detail: "tooLarge" } };
const ended = "data: end\n\n";

describe("a stream", () => {
  test("is let go of at its end, and nothing after that is read", async () => {
    const { seen, response } = bodyOf([ended, ...times(100, "data: more\n\n")]);
    expect(await readEvents(response, reader())).toEqual({ ok: true, value: "the whole" });
    expect(seen.letGo).toBe(true);
    expect(seen.given).toBeLessThan(100);
  });

  test("is let go of where nothing more is wanted", async () => {
    const { seen, response } = bodyOf(times(100, "data: more\n\n"));
    const fault = { kind: "brokenAnswer", then: "next" } as const;
    expect(
      await readEvents(
        response,
        reader(() => fault),
      ),
    ).toEqual({ ok: false, error: fault });
    expect(seen.letGo).toBe(true);
  });

  test("is let go of where whoever takes it fails", async () => {
    const { seen, response } = bodyOf(times(100, "data: more\n\n"));
    const failing = reader(() => {
      throw new Error("taken badly");
    });
    await expect(readEvents(response, failing)).rejects.toThrow("taken badly");
    expect(seen.letGo).toBe(true);
  });

  test("may be longer than any reply, since most of it is not the reply", async () => {
    const { response } = bodyOf([...times(20, `: ${" ".repeat(mega)}\n\n`), ended]);
    expect(await readEvents(response, reader())).toMatchObject({ ok: true });
  });

  test.each([
    ["whose reply is longer than any reply", () => times(200, `data: ${"x".repeat(mega)}\n\n`), 20],
    ["with an event that does not end", () => ["data: ", ...times(200, "x".repeat(mega))], 20],
    ["that does not end", () => times(200, `: ${" ".repeat(mega)}\n\n`), 130],
  ])("%s is not read to its end", async (_what, chunks, most) => {
    const { seen, response } = bodyOf(chunks());
    expect(await readEvents(response, reader())).toMatchObject(tooLarge);
    expect(seen.letGo).toBe(true);
    expect(seen.given).toBeLessThan(most * mega);
  });

  test("without a body is cut off", async () => {
    expect(await readEvents(new Response(null), reader())).toMatchObject({ ok: false, error: { detail: "cutOff" } });
  });

  test("that fails is cut off, unless it was whole", async () => {
    const failing = (first: string) => {
      let at = 0;
      return new Response(
        new ReadableStream<Uint8Array>({
          pull: (controller) => {
            at += 1;
            if (at === 1) controller.enqueue(encode(first));
            else controller.error(new Error("gone"));
          },
        }),
      );
    };
    expect(await readEvents(failing("data: more\n\n"), reader())).toMatchObject({ ok: false, error: { detail: "cutOff" } });
    // What says that it is whole and goes on: the count of tokens may still come, or not.
    const whole = { ...reader(), isWhole: () => true };
    expect(await readEvents(failing("data: more\n\n"), whole)).toEqual({ ok: true, value: "the whole" });
  });
});
