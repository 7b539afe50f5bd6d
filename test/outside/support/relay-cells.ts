// What a client of each kind does at a server of 2026-07-28, through the relay: the tool ends with
// the reply.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type CellClient, type CellClientKind, type OwnSampling, cameBack, cellClient, ownReply } from "./cell-clients.ts";
import { type ModernServer, repeatedContinuations, serveModern } from "./modern-server.ts";
import { decideByLink } from "./killable-gateway.ts";
import { until } from "./raw-client.ts";
import { openedReview } from "./opened-review.ts";
import { type RelayOffice, openGates, relayKey, relayOffice } from "./relay-office.ts";

const reply = "Hello from the scripted provider.";

/** For clients of these kinds. */
export function relayCells(kinds: readonly CellClientKind[]): void {
  let office: RelayOffice;
  let modern: ModernServer;
  let streaming: ModernServer;
  beforeAll(async () => {
    [office, modern, streaming] = await Promise.all([
      relayOffice({ RELAY_HOLD_SECONDS: "1", HEARTBEAT_SECONDS: "1" }),
      serveModern({ legacy: "reject" }),
      serveModern({ responseMode: "sse" }),
    ]);
    const at = (url: string): object => ({ url, allowPrivate: true });
    const mode = (each: string): object => ({ ...at(modern.url), mode: each });
    await office.serve({ modern: at(modern.url), streaming: at(streaming.url), forward: mode("forward"), fallback: mode("fallback") });
  });
  afterAll(async () => {
    await Promise.all([office?.close(), modern?.close(), streaming?.close()]);
  });

  const connect = (kind: CellClientKind, server: string, more: Parameters<typeof cellClient>[3] = {}): Promise<CellClient> =>
    cellClient(kind, office.relay(server), { Authorization: `Bearer ${relayKey}` }, more);

  describe.each([...kinds])("a client of %s at a server of 2026-07-28", (kind) => {
    let client: CellClient;
    beforeAll(async () => {
      client = await connect(kind, "modern");
    });
    afterAll(() => client?.close());
    beforeEach(async () => {
      modern.received.length = 0;
      await office.rule(openGates);
    });

    test("has its tools, and calls that do not sample", async () => {
      expect(await client.tools()).toContain("ask");
      expect(await client.call("echo", { text: "Plain." })).toEqual({ text: "Plain.", isError: false });
      expect(await client.read("test://plain")).toBe("plain");
      expect(await client.complete("ask-prompt", "topic", "w")).toEqual(["weather", "wine"]);
    });

    test.each([
      ["ask", reply],
      ["ask-image", reply],
      ["ask-streamed", reply],
      ["ask-later", reply],
      ["ask-two", JSON.stringify([reply, reply])],
      ["ask-five", JSON.stringify(Array(5).fill(reply))],
      ["ask-and-elicit", JSON.stringify({ reply, action: "accept", content: { confirm: true } })],
      ["ask-roots", JSON.stringify({ reply, roots: [{ uri: "file:///work" }] })],
    ])("%s ends with the reply", async (tool, said) => {
      expect(await client.call(tool, { question: `What of ${tool} and ${kind}?` })).toEqual({ text: said, isError: false });
      expect(repeatedContinuations(modern.received)).toEqual([]);
    });

    test("a tool loop of three rounds, whose tools the model calls", async () => {
      const use = (city: string) => ({ answer: "reply", calls: [{ id: `call_${city}`, name: "weather", input: { city } }] }) as const;
      office.model.script(use("Bern"), use("Rome"));
      const { text, isError } = await client.call("ask-tools", { question: `Is it sunny, ${kind}?` });
      expect([isError, JSON.parse(text)]).toEqual([false, { round: 3, content: [{ type: "text", text: reply }] }]);
    });

    test("a prompt and a resource that sample", async () => {
      expect(await client.prompt("ask-prompt", { topic: `wine ${kind}` })).toBe(reply);
      expect(await client.read("test://ask")).toBe(reply);
    });

    test("progress passes, and a call that its client cancels is cancelled at the server", async () => {
      const steps: unknown[] = [];
      expect((await client.call("progress", {}, { onprogress: (each) => steps.push(each.message) })).text).toBe("done");
      expect(steps).toEqual(["Step 1", "Step 2", "Step 3"]);
      const before = modern.slow.cancelled;
      const left = new AbortController();
      const called = client.call("slow", {}, { signal: left.signal });
      called.catch(() => {});
      await until("the call", async () => (modern.slow.waiting > 0 ? true : undefined));
      left.abort();
      await expect(called).rejects.toThrow();
      await until("its end", async () => (modern.slow.cancelled > before ? true : undefined));
    });

    test("changes of lists are told", async () => {
      await client.listen();
      const before = client.heard.length;
      await until("the change", async () => {
        modern.notify.toolsChanged();
        return client.heard.length > before ? true : undefined;
      });
      expect(client.heard.at(-1)).toBe("notifications/tools/list_changed");
    });

    describe("whose client samples itself", () => {
      const ask = async (server: string, sampling: OwnSampling, tool = "ask"): Promise<[string, boolean, number]> => {
        const own = await connect(kind, server, { sampling });
        try {
          const { text, isError } = await own.call(tool, { question: `By itself: ${kind} ${server} ${sampling}` });
          return [text, isError, own.asked.length];
        } finally {
          await own.close();
        }
      };

      test("is asked with forward and fallback, and not with fulfil", async () => {
        expect(await ask("forward", "reply")).toEqual([ownReply, false, 1]);
        expect(await ask("fallback", "reply")).toEqual([ownReply, false, 1]);
        expect(await ask("modern", "reply")).toEqual([reply, false, 0]);
        expect(await ask("forward", "reply", "ask-two")).toEqual([JSON.stringify([ownReply, ownReply]), false, 2]);
      });

      // A client of 2026-07-28 that cannot answer ends its call by itself.
      if (kind === "SDK 2.x, 2026") return;
      test("and declines: the gateway answers with fallback, but for its user's no", async () => {
        expect(await ask("fallback", -32_601)).toEqual([reply, false, 1]);
        expect(await ask("fallback", -1)).toEqual(["User rejected sampling request", true, 1]);
        expect(await ask("forward", -32_601)).toEqual(["The client answered sampling/createMessage with an error", true, 1]);
      });
    });

    describe("whose calls people approve", () => {
      const then = { request: "review", response: "allow", reviewers: ["everyone"], selfApproval: true };
      const approving = (more: object = {}): Promise<void> =>
        office.rule({
          ...openGates,
          rules: [{ name: "calls", when: { subject: "toolCall", tool: "echo" }, then: { ...then, ...more } }],
          reviewers: { everyone: [{ name: "Ada", email: "ada@example.com" }] },
        });
      const echoes = (): number => modern.received.filter(({ name }) => name === "echo").length;
      /** Calls again while the answer says to, as its model does. */
      const untilAnswered = async (text: string): Promise<{ readonly text: string; readonly isError: boolean }> => {
        for (;;) {
          const answer = await client.call("echo", { text });
          if (!answer.text.includes("has not run yet")) return answer;
        }
      };

      test("approved after the client had to come back, changed, and run once", async () => {
        await approving();
        const { called, link } = await openedReview(office, () => untilAnswered(`Asked for ${kind}`));
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        expect(echoes()).toBe(0);
        await decideByLink(link, "approve", (fields) => {
          const field = [...fields.keys()].find((name) => fields.get(name)?.includes(`Asked for ${kind}`)) ?? "";
          fields.set(field, (fields.get(field) ?? "").replace("Asked", "Approved"));
        });
        const { text, isError } = await called;
        expect([text.startsWith(`Approved for ${kind}`), text.includes("This is what ran"), isError]).toEqual([true, true, false]);
        expect(echoes()).toBe(1);
      });

      test("denied, and never run", async () => {
        await approving({ tellReason: true });
        const { called, link } = await openedReview(office, () => untilAnswered(`Denied for ${kind}`));
        await decideByLink(link, "deny", (fields) => fields.set("reason", "Not on a Friday."));
        expect(await called).toEqual({ text: "A person declined this call. It was not run. The reason: Not on a Friday.", isError: true });
        expect(echoes()).toBe(0);
      });
    });

    describe("under review", () => {
      const reviewed = (deadlineSeconds = 600, more: object = {}): Promise<void> =>
        office.rule({
          ...openGates,
          rules: [
            { name: "asked", when: {}, then: { request: "review", response: "allow", reviewers: ["everyone"], deadlineSeconds, ...more } },
          ],
          reviewers: { everyone: [{ name: "Ada", email: "ada@example.com" }] },
        });

      test("approved with an edit: the model gets the edited prompt, the tool the reply", async () => {
        await reviewed();
        const before = client.legs();
        const { called, link } = await openedReview(office, () => client.call("ask", { question: `Edited for ${kind}` }));
        await cameBack(client, kind, before);
        await decideByLink(link, "approve", (fields) => {
          const field = [...fields.keys()].find((name) => fields.get(name) === `Edited for ${kind}`) ?? "";
          fields.set(field, "Rewritten by a person");
        });
        expect(await called).toEqual({ text: reply, isError: false });
        expect(JSON.stringify(office.model.requests.at(-1)?.body)).toContain("Rewritten by a person");
        expect(repeatedContinuations(modern.received)).toEqual([]);
      });

      test("denied: the tool ends with the sentence, and its server is not asked again", async () => {
        await reviewed();
        const { called, link } = await openedReview(office, () => client.call("ask-five", { question: `Denied for ${kind}` }));
        await decideByLink(link, "deny");
        expect(await called).toEqual({ text: "User rejected sampling request", isError: true });
        expect(modern.received.filter(({ name }) => name === "ask-five")).toHaveLength(1);
      });

      test("denied for a prompt: error -1", async () => {
        await reviewed();
        const { called, link } = await openedReview(office, () => client.prompt("ask-prompt", { topic: `weather ${kind}` }));
        await decideByLink(link, "deny");
        await expect(called).rejects.toMatchObject({
          code: -1,
          message: expect.stringContaining("User rejected sampling request") as string,
        });
      });

      test("expired: the tool ends with the sentence", async () => {
        await reviewed(5);
        expect(await client.call("ask", { question: `Expired for ${kind}` })).toEqual({
          text: "Sampling request expired: nobody decided in time",
          isError: true,
        });
      });
    });
  });
}
