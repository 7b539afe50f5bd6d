// What was said before: in the request, or kept for its session because that was asked for, and
// then forgotten.

import { beforeEach, describe, expect, test } from "vitest";
import { conversationLimits } from "../../../../shared/wire/control/turns.ts";
import { conversationStub } from "../../../../workers/stubs/stubs.ts";
import { type Sent, asked, control, everyKind, gates, textEnvelope } from "../../support/control.ts";
import { configure, createKey, devKey, env, eventually, gateway, model, openNotice, travel } from "../../support/gateway.ts";
import { promptMarker, replyMarker } from "../../support/logs.ts";
import { recordLines } from "../../support/record.ts";
import { decide, pathOf } from "../../support/reviewer.ts";

beforeEach(async () => {
  await gates();
  await configure("routing", everyKind);
});

type Said = { readonly role: string; readonly content: string };

/** The conversation of the last request that the model got. */
const told = (): Said[] =>
  ((model.calls.at(-1)?.body["messages"] ?? []) as { role: string; content: string | { text: string }[] }[]).map(({ role, content }) => ({
    role: role === "developer" ? "system" : role,
    content: typeof content === "string" ? content : content.map(({ text }) => text).join(""),
  }));

const user = (content: string): Said => ({ role: "user", content });
const assistant = (content: string): Said => ({ role: "assistant", content });

let sessions = 0;
let session: string;
beforeEach(() => {
  sessions += 1;
  session = `history-${sessions}`;
});

/** A request of the session whose turn is kept. */
const kept = (prompt: string, context: object = {}, members: object = {}): Sent =>
  textEnvelope({ prompt }, { context: { session_id: session, remember: { ttl: 60 }, ...context }, ...members });
/** One that only reads what is kept. */
const reads = (prompt: string, context: object = {}): Sent => textEnvelope({ prompt }, { context: { session_id: session, ...context } });

/** One exchange that is kept. */
async function exchange(prompt: string, reply: string, context: object = {}, options: Parameters<typeof asked>[1] = {}): Promise<void> {
  model.script({ text: reply });
  expect((await asked(kept(prompt, context), options)).status).toBe("completed");
}

const forget = (name: string, init: RequestInit & { key?: string | null } = {}): Promise<Response> =>
  gateway(`/control/sessions/${name}`, { method: "DELETE", ...init });

describe("history in the request", () => {
  test("is sent before the prompt, in its order", async () => {
    const history = [user("One?"), assistant("One."), user("Two?"), assistant("Two.")];
    await asked(textEnvelope({ prompt: "Three?" }, { context: { history } }));
    expect(told()).toEqual([...history, user("Three?")]);
  });

  test("may have system messages anywhere: they follow the system prompt, in their order", async () => {
    const system = (content: string): Said => ({ role: "system", content });
    const history = [system("A"), user("One?"), system("B"), assistant("One."), system("C")];
    await asked(textEnvelope({ prompt: "Two?" }, { context: { history, system_prompt: "First" } }));
    expect(told()).toEqual([system("First\n\nA\n\nB\n\nC"), user("One?"), assistant("One."), user("Two?")]);
  });

  test("is what the reviewer sees, all of it", async () => {
    await gates({ request: "review" });
    const answer = asked(textEnvelope({ prompt: "Two?" }, { context: { history: [user("an early word"), assistant("a late word")] } }));
    const { link } = await openNotice("request");
    const page = await (await gateway(pathOf(link), { key: null })).text();
    for (const word of ["an early word", "a late word", "Two?"]) expect(page).toContain(word);
    await decide("request", "approve");
    expect((await answer).status).toBe("completed");
  });

  test.each([
    ["of more turns than there may be", Array.from({ length: 1_001 }, () => user("x")), "/context/history"],
    ["of a role that there is not", [{ role: "tool", content: "x" }], "/context/history/0/role"],
    ["without content", [{ role: "user" }], "/context/history/0/content"],
  ])("%s is refused at its place", async (_name, history, pointer) => {
    const answer = await asked(textEnvelope({}, { context: { history } }));
    expect(answer).toMatchObject({ status: "invalid", error: { details: { errors: [{ pointer }] } } });
  });

  test("is not kept by itself", async () => {
    await asked(reads("Two?", { history: [user("One?"), assistant("One.")] }));
    await asked(reads("Three?"));
    expect(told()).toEqual([user("Three?")]);
  });
});

describe("a conversation that is kept", () => {
  test("is seen by later requests of its session, and by no other's", async () => {
    await exchange("One?", "One.");
    await exchange("Two?", "Two.");
    await asked(reads("Three?"));
    expect(told()).toEqual([user("One?"), assistant("One."), user("Two?"), assistant("Two."), user("Three?")]);
    session = `${session}-other`;
    await asked(reads("Three?"));
    expect(told()).toEqual([user("Three?")]);
  });

  test("is not seen by another key, which has one of its own under that name and cannot delete this one", async () => {
    await exchange("One?", "One.");
    const { key } = await createKey();
    await asked(reads("Mine?"), { key });
    expect(told()).toEqual([user("Mine?")]);
    await exchange("Theirs?", "Theirs.", {}, { key });
    expect((await forget(session, { key })).status).toBe(204);
    await asked(reads("Two?"));
    expect(told()).toEqual([user("One?"), assistant("One."), user("Two?")]);
  });

  test("has a turn once, however often its request comes", async () => {
    const envelope = kept("One?");
    await Promise.all([asked(envelope), asked(envelope), asked(envelope)]);
    await asked(envelope);
    await asked(reads("Two?"));
    expect(told().map(({ content }) => content)).toEqual(["One?", `Hello. ${replyMarker}`, "Two?"]);
  });

  test("a repeat is the same request, also when the conversation has gone on since", async () => {
    const envelope = kept("One?");
    const answer = await asked(envelope);
    await exchange("Two?", "Two.");
    expect(await asked(envelope)).toEqual(answer);
    expect(model.calls).toHaveLength(2);
  });

  test("begins anew from the history that a request brings", async () => {
    await exchange("One?", "One.");
    await exchange("Two?", "Two.", { history: [user("Zero?"), assistant("Zero.")] });
    await asked(reads("Three?"));
    expect(told()).toEqual([user("Zero?"), assistant("Zero."), user("Two?"), assistant("Two."), user("Three?")]);
  });

  test("has nothing of what was only read, failed or was denied", async () => {
    await asked(reads("Not kept?"));
    model.script({ status: 400, message: "no" });
    expect((await asked(kept("Failed?", {}, { control: { retryable: false } }))).status).toBe("failed");
    await gates({ response: "review" });
    const denied = asked(kept("Denied?"));
    await decide("response", "deny");
    expect((await denied).status).toBe("rejected");
    await gates();
    await asked(reads("Last?"));
    expect(told()).toEqual([user("Last?")]);
  });

  test("has the reply as the reviewer left it", async () => {
    await gates({ response: "review" });
    const answer = asked(kept("One?"));
    await decide("response", "approve", undefined, (fields) => fields.set("edit:/content/0/text", "Better."));
    expect((await answer).result?.text).toBe("Better.");
    await gates();
    await asked(reads("Two?"));
    expect(told()).toEqual([user("One?"), assistant("Better."), user("Two?")]);
  });

  test("has the prompt as the reviewer left it: what they took out is not sent later", async () => {
    await gates({ request: "review" });
    model.script({ text: "One." });
    const answer = asked(kept("One, and my secret?"));
    await decide("request", "approve", undefined, (fields) => fields.set("edit:/messages/0/content/0/text", "One?"));
    expect((await answer).edited).toEqual({ request: true, response: false });
    await gates();
    await asked(reads("Two?"));
    expect(told()).toEqual([user("One?"), assistant("One."), user("Two?")]);
  });

  describe("has what came before as the reviewer left it", () => {
    const history = [
      { role: "system", content: "Be brief." },
      { role: "system", content: "The secret is blue." },
      { role: "user", content: "My secret?" },
      { role: "assistant", content: "Blue." },
    ];
    const takenOut = (fields: URLSearchParams): void => {
      fields.set("edit:/systemPrompt", "Be brief.");
      fields.set("edit:/messages/0/content/0/text", "Mine?");
      fields.set("edit:/messages/1/content/0/text", "No.");
    };
    const left = [{ role: "system", content: "Be brief." }, user("Mine?"), assistant("No.")];

    test("in the history that the request brought", async () => {
      await gates({ request: "review" });
      model.script({ text: "Two." });
      const answer = asked(kept("Two?", { history }));
      await decide("request", "approve", undefined, takenOut);
      expect((await answer).status).toBe("completed");
      await gates();
      await asked(reads("Three?"));
      expect(told()).toEqual([...left, user("Two?"), assistant("Two."), user("Three?")]);
    });

    test("in what was kept", async () => {
      model.script({ text: "One." });
      await asked(kept("One?", { history }));
      await gates({ request: "review" });
      model.script({ text: "Two." });
      const answer = asked(kept("Two?"));
      await decide("request", "approve", undefined, takenOut);
      expect((await answer).status).toBe("completed");
      await gates();
      await asked(reads("Three?"));
      expect(told()).toEqual([...left, user("One?"), assistant("One."), user("Two?"), assistant("Two."), user("Three?")]);
    });
  });

  test("keeps its newest exchanges where it grows beyond its bounds", async () => {
    await configure("routing", { ...everyKind, models: everyKind.models.map((each) => ({ ...each, contextTokens: 10_000_000 })) });
    const long = "x".repeat(conversationLimits.bytes / 2);
    await exchange("Oldest?", "Oldest.");
    await exchange("Long?", long);
    await exchange("Longer?", long);
    await asked(reads("Last?"));
    expect(told().map(({ content }) => content.slice(0, 10))).toEqual(["Longer?", "xxxxxxxxxx", "Last?"]);
  });

  test("leaves nothing of itself in the record", async () => {
    await exchange(`${promptMarker} One?`, `${replyMarker} One.`);
    const { run } = await asked(reads(`${promptMarker} Two?`));
    await eventually("the record", async () => (await recordLines()).find((line) => line.run === run && line.fact.kind === "finished"));
    expect(JSON.stringify(await recordLines())).not.toMatch(new RegExp(`${promptMarker}|${replyMarker}|${session}`));
  });
});

describe("is forgotten", () => {
  const keyId = async (): Promise<string> => {
    const { fact } = await eventually("the record", async () => (await recordLines()).find((line) => line.fact.kind === "received"));
    return fact.kind === "received" ? fact.key : "";
  };

  test("when its session was quiet for so long, in the moment, and each turn begins the time anew", async () => {
    await exchange("One?", "One.");
    travel(59_000);
    await exchange("Two?", "Two.");
    travel(59_000);
    await asked(reads("Three?"));
    expect(told()).toHaveLength(5);
    travel(1_001);
    await asked(reads("Four?"));
    expect(told()).toEqual([user("Four?")]);
  });

  test("at once on demand, with everything of it", async () => {
    await exchange("One?", "One.");
    expect((await forget(session)).status).toBe(204);
    expect(await conversationStub(env, await keyId(), session).read()).toBeNull();
    await asked(reads("Two?"));
    expect(told()).toEqual([user("Two?")]);
    // Doing it twice is doing it once.
    expect((await forget(session)).status).toBe(204);
  });

  test.each([
    ["without a key", { key: null }, 401],
    ["with a wrong one", { key: `${devKey}x` }, 401],
  ])("by nobody %s", async (_name, init, status) => {
    await exchange("One?", "One.");
    expect((await forget(session, init)).status).toBe(status);
    await asked(reads("Two?"));
    expect(told()).toHaveLength(3);
  });

  test("under no name that is none", async () => {
    expect((await forget("a%20b")).status).toBe(400);
    expect((await forget("x".repeat(129))).status).toBe(400);
  });
});

test("keeping needs a session to keep it for", async () => {
  const response = await control(textEnvelope({}, { context: { remember: { ttl: 60 } } }));
  expect(response.status).toBe(400);
});
