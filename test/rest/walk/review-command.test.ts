// npm run review, as somebody at a terminal uses it, against a real gateway and a scripted model.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { killableGateway } from "../../outside/support/killable-gateway.ts";
import { type Program, startProgram } from "../../outside/support/program.ts";

const adminToken = "admin-token-of-the-tests-0123456789";

describe("npm run review", () => {
  let gateway: Awaited<ReturnType<typeof killableGateway>>;

  beforeAll(async () => {
    gateway = await killableGateway();
    await gateway.start();
    await gateway.configure();
  });
  afterAll(() => gateway?.close());

  const review = (args: readonly string[], env: Record<string, string> = {}): Program =>
    startProgram("scripts/review.ts", args, { ADMIN_TOKEN: adminToken, VISUAL: "", ...env });

  /** Types the line once this was printed since the last one. */
  async function after(program: Program, pattern: RegExp, line: string, from: number): Promise<number> {
    await program.prints(pattern, from);
    const at = program.printed().length;
    program.types(line);
    return at;
  }

  test("lists what waits, shows all of it, edits in $EDITOR, and approves what it showed", async () => {
    gateway.model.reset();
    const { answer } = gateway.ask("terminal-1", "request-gate", "Name the \u202e capital\u001b[2J of France.");
    await gateway.review("request");
    const program = review(["--url", gateway.url], { EDITOR: "sed -i s/France/Italy/" });
    let at = await after(program, /1 {2}request {2}request-gate · wait → scripted, .* left.*, for Ada\n.*q to quit > $/s, "1", 0);
    at = await after(program, /a approve · e edit.*> $/s, "e", at);
    const shown = program.printed();
    expect(shown).toContain("┃ Name the ⟨U+202E");
    // No command of a text from outside reaches the terminal.
    expect(shown).not.toContain("\u001b[2J");
    expect(shown).toContain("⟨U+001B");
    await program.prints(/Which text\? $/, at);
    const [, place] = await program.prints(/(\d+) {2}Message 1, part 1/, at);
    at = program.printed().length;
    program.types(String(place));
    at = await after(program, /Your changes:.*- .*France.*\+ .*Italy.*> $/s, "a", at);
    at = await after(program, /Approve with 1 change despite \d+ warnings?\? \[y\/N\] $/, "y", at);
    await program.prints(/Approved\./, at);
    await after(program, /q to quit > $/, "q", at);
    expect(await program.exited).toBe(0);
    expect((await answer)?.result?.content.text).toBeTypeOf("string");
    expect(JSON.stringify(gateway.model.requests.map(({ body }) => body))).toContain("of Italy.");
  });

  test("denies one review by its link, with a reason", async () => {
    const { answer } = gateway.ask("terminal-2", "request-gate");
    const { link } = await gateway.review("request");
    const program = review([link ?? ""]);
    const at = await after(program, /a approve · e edit.*> $/s, "d", 0);
    await after(program, /Reason \(optional\): $/, "not today", at);
    await program.prints(/Denied\./, at);
    expect(await program.exited).toBe(0);
    expect(JSON.stringify(await answer)).toMatch(/denied|rejected/i);
    const again = review([link ?? ""]);
    await again.prints(/Denied\./);
    expect(await again.exited).toBe(0);
  });

  test.each([
    [["--url", "http://gateway.example.com"], /address must be https/],
    [["https://example.com/elsewhere"], /not a review's link/],
    [["--url", "http://localhost:1"], /npm run review: .*/],
    [["--nonsense"], /usage: npm run review/],
  ])("says what is wrong: %j", async (args, words) => {
    const program = review(args);
    expect(await program.exited).toBe(2);
    expect(program.printed()).toMatch(words);
    expect(program.printed()).not.toContain(adminToken);
  });
});
