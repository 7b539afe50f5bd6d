// Servers that behave as no server should, on real sockets: whoever else uses the gateway meanwhile
// is served, and what comes of it is said.

import { request as ask } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RawCall, type RawMcpServer, askFor, event, openStream, resultOf, startRawMcpServer } from "../../support/raw-mcp-server.ts";
import { decideByLink } from "../../outside/support/killable-gateway.ts";
import { type RawClient, rawClient, until } from "../../outside/support/raw-client.ts";
import { type RelayOffice, openGates, relayOffice } from "../../outside/support/relay-office.ts";

const reviewed = {
  name: "reviewed",
  when: { server: "reviewed" },
  then: { request: "review", response: "allow", reviewers: ["everyone"] },
};

let office: RelayOffice;
let hostile: RawMcpServer;
let decent: RawMcpServer;
let victim: RawClient;
beforeAll(async () => {
  [office, hostile, decent] = await Promise.all([relayOffice(), startRawMcpServer(), startRawMcpServer()]);
  await office.rule({ ...openGates, rules: [reviewed], reviewers: { everyone: [{ name: "Ada" }] } });
  const at = (url: string): object => ({ url, allowPrivate: true });
  await office.serve({ hostile: at(hostile.url), reviewed: at(hostile.url), decent: at(decent.url) });
  victim = await rawClient(office.relay("decent"), { key: await office.key({ name: "somebody else" }) });
  decent.behave = ({ message }, response) => {
    if (message.method !== "tools/call") return false;
    openStream(response, event(askFor(`for ${message.id}`, "A decent question")));
    void until("its answer", () => decent.answersTo(`for ${message.id}`)[0]).then(({ result, error }) =>
      response.end(event(resultOf(message.id, result === undefined ? (error?.message ?? "") : "sampled"))),
    );
    return true;
  };
});
afterAll(async () => {
  await Promise.all([office?.close(), hostile?.close(), decent?.close()]);
});

let calls = 0;
/** Somebody else's call, with sampling, while the other server misbehaves. */
async function isServed(): Promise<void> {
  calls += 1;
  const text = await (await victim.call(`decent-${calls}`)).text();
  expect(text).toContain('"text":"sampled"');
}

/** A client of the hostile server, with a key whose limits nobody has used up yet. */
const attacker = async (server = "hostile"): Promise<RawClient> => {
  lastKey = await office.key({ name: "of the hostile server's client" });
  return rawClient(office.relay(server), { key: lastKey });
};
let lastKey = "";
/** The behaviour for one tool call; everything else is answered plainly. */
function on(id: string, behave: RawMcpServer["behave"]): void {
  const before = hostile.behave;
  hostile.behave = (call, response) =>
    call.message.id === id && call.message.method === "tools/call" ? behave(call, response) : before(call, response);
}
/** What the server does with an answer to one of its own requests. */
function onAnswer(id: string, behave: RawMcpServer["behave"]): void {
  const before = hostile.behave;
  hostile.behave = (call, response) =>
    call.message.id === id && call.message.method === undefined ? behave(call, response) : before(call, response);
}

/**
 * What a server got that says nothing to the first of it: looked at last, so that the gateway's
 * patience passes while others are tested.
 */
let silent: RawCall[] = [];
/** Whatever is sent again is the same answer, which a server knows by its id. */
const isOneAnswer = (got: readonly RawCall[]): void => {
  expect(new Set(got.map(({ text }) => text)).size).toBe(1);
  expect(got[0]?.message.result).toMatchObject({ role: "assistant" });
};

describe("a server that does not take the answer", () => {
  const sampled = async (id: string, server: "hostile" | "reviewed"): Promise<void> => {
    on(id, (_call, response) => {
      openStream(response, event(askFor(`s-${id}`, `Question of ${id}`)));
      setTimeout(() => response.end(), 100);
      return true;
    });
    await (await (await attacker(server)).call(id)).text();
  };
  const failing = (id: string, answers: readonly (number | "hang" | "reset")[]): RawCall[] => {
    const got: RawCall[] = [];
    onAnswer(`s-${id}`, (call, response) => {
      const answer = answers[got.length] ?? 202;
      got.push(call);
      if (answer === "reset") response.socket?.resetAndDestroy();
      else if (answer !== "hang") response.writeHead(answer).end();
      return true;
    });
    return got;
  };

  const reviewedAnswer = async (id: string): Promise<void> => {
    await sampled(id, "reviewed");
    const { link } = await office.review("request");
    expect((await decideByLink(link ?? "", "approve")).status).toBe(303);
  };
  test("with silence nobody else waits", async () => {
    silent = failing("silent", ["hang"]);
    await reviewedAnswer("silent");
    await until("the answer that nobody takes", () => silent.length > 0);
    await isServed();
  });

  test("with an error of its own is asked again; with 404 it is not", async () => {
    const busy = failing("busy", [500, 503]);
    const gone = failing("gone", [404]);
    const broken = failing("broken", ["reset", 502]);
    await sampled("busy", "hostile");
    await sampled("gone", "hostile");
    await reviewedAnswer("broken");
    await until("the third try", () => busy.length === 3 && broken.length === 3);
    expect(gone).toHaveLength(1);
    for (const got of [busy, broken]) isOneAnswer(got);
  });
});

describe("a server that sends without an end", () => {
  const endless = (type: string, first: string): { behave: RawMcpServer["behave"]; sent: () => number; closed: () => boolean } => {
    let sent = 0;
    let closed = false;
    const chunk = "x".repeat(256 * 1024);
    return {
      sent: () => sent,
      closed: () => closed,
      behave: (_call, response) => {
        response.writeHead(200, { "Content-Type": type });
        response.write(first);
        response.on("close", () => (closed = true));
        const more = (): void => {
          while (!response.destroyed) {
            sent += chunk.length;
            if (!response.write(chunk)) return void response.once("drain", more);
          }
        };
        more();
        return true;
      },
    };
  };

  test("is cut off at an event of ten million characters, three at a time, and the requests get an error", async () => {
    const client = await attacker();
    const streams = ["one", "two", "three"].map((id) => {
      const stream = endless("text/event-stream", "data: ");
      on(id, stream.behave);
      return { id, stream };
    });
    const reading = streams.map(async ({ id }) => (await client.call(id)).text());
    await isServed();
    for (const [index, text] of (await Promise.all(reading)).entries())
      expect(JSON.parse(text.slice(text.indexOf("{")))).toMatchObject({
        id: streams[index]?.id,
        error: { code: -32603, message: expect.stringContaining("10000000") },
      });
    for (const { stream } of streams) {
      await until("the end of the connection", stream.closed);
      expect(stream.sent()).toBeLessThan(40_000_000);
    }
    await isServed();
  });

  test("is cut off at an answer of ten million characters", async () => {
    const stream = endless("application/json", '{"jsonrpc":"2.0","id":"json","result":"');
    on("json", stream.behave);
    const answer = await (await attacker()).call("json");
    expect([answer.status, await answer.json()]).toMatchObject([502, { id: "json", error: { code: -32603 } }]);
    await until("the end of the connection", stream.closed);
    expect(stream.sent()).toBeLessThan(40_000_000);
    await isServed();
  });
});

test("a server that never answers keeps nobody waiting but its own client, who may leave and go on in the same session", async () => {
  on("never", () => true);
  const client = await attacker();
  const leaving = new AbortController();
  const call = client.call("never", leaving.signal).catch((error: Error) => error.name);
  await until("the call", () => hostile.calls.some(({ message }) => message.id === "never"));
  await isServed();
  leaving.abort();
  expect(await call).toBe("AbortError");
  await isServed();
  expect((await client.post({ jsonrpc: "2.0", id: 1, method: "ping" })).status).toBe(200);
});

test("a server that breaks off in the middle of an event is no clean end to its client", async () => {
  on("cut", (_call, response) => {
    openStream(response, event({ jsonrpc: "2.0", method: "notifications/x" }));
    response.write('data: {"jsonrpc":"2.0","id":"cut","resu', () => response.socket?.resetAndDestroy());
    return true;
  });
  const answer = await (await attacker()).call("cut");
  await expect(answer.text()).rejects.toThrow();
  await isServed();
});

test("of hundreds of requests at once each is answered, as many as the limits let are served, and somebody else's is in between", async () => {
  const asked = 300;
  let stream: Parameters<RawMcpServer["behave"]>[1] | undefined;
  on("flood", (_call, response) => {
    stream = response;
    openStream(response);
    for (let count = 0; count < asked; count += 1) response.write(event(askFor(`flood-${count}`, `Question ${count}`)));
    return true;
  });
  const modelCalls = office.model.requests.length;
  const reading = (await attacker()).call("flood").then((answer) => answer.text());
  await until("the first answers", () => hostile.answersTo("flood-0").length > 0);
  await isServed();
  const all = Array.from({ length: asked }, (_, count) => `flood-${count}`);
  await until("all answers", () => all.every((id) => hostile.answersTo(id).length > 0));
  stream?.end(event(resultOf("flood")));
  const text = await reading;
  expect(text).toContain('"text":"done"');
  expect(text).not.toContain("createMessage");
  const answers = all.flatMap((id) => hostile.answersTo(id));
  expect(answers).toHaveLength(asked);
  const served = answers.filter(({ result }) => result !== undefined).length;
  expect(served).toBeGreaterThan(0);
  expect(served).toBeLessThanOrEqual(25);
  expect(office.model.requests.length - modelCalls).toBeLessThanOrEqual(25 + 1);
  for (const { error } of answers.filter((each) => each.result === undefined)) expect([-32602, -32013, -1, -32600]).toContain(error?.code);
  await isServed();
});

describe("ids of events with odd characters", () => {
  const withLast = (client: RawClient, last: string): Promise<number> =>
    new Promise((resolve, reject) => {
      // As browsers send it: the bytes of its UTF-8.
      const headers = {
        Authorization: `Bearer ${lastKey}`,
        Accept: "text/event-stream",
        "Mcp-Session-Id": client.session,
        "Last-Event-ID": Buffer.from(last, "utf8").toString("latin1"),
      };
      const asking = ask(office.relay("hostile"), { headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      });
      asking.on("error", reject);
      asking.end();
    });

  test.each(["é", "☃ \u2028 x", "..", "a b", "%00", "\"'<>", "𝒳"])(
    "%j pass and come back as they were, or are refused, and nothing breaks",
    async (own) => {
      on(`odd ${own}`, (_call, response) => {
        openStream(response, `id: ${own}\n${event({ jsonrpc: "2.0", method: "notifications/x" })}`);
        response.end();
        return true;
      });
      const client = await attacker();
      const id = /id: ([^\n]*)\n/.exec(await (await client.call(`odd ${own}`)).text())?.[1] ?? "";
      expect(id.endsWith(`.${own}`)).toBe(true);
      const before = hostile.calls.length;
      const status = await withLast(client, id);
      // The plain server answers every GET with 405.
      expect([405, 400]).toContain(status);
      const passed = hostile.calls.slice(before).find(({ method }) => method === "GET");
      if (status === 405) expect(Buffer.from(String(passed?.headers["last-event-id"]), "latin1").toString("utf8")).toBe(own);
      else expect(passed).toBeUndefined();
    },
  );
});

test("a server that was silent about an answer is asked again, with the same one", async () => {
  await until("the second try", () => silent.length === 2);
  isOneAnswer(silent);
});
