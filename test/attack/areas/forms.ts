// Forms of servers that a person answers at the gateway: the server must get that person's answer
// to that form, once, and from nobody else.

import { expect } from "vitest";
import { type RawMessage, type RawMcpServer, event, openStream, resultOf } from "../../support/raw-mcp-server.ts";
import { until } from "../../outside/support/raw-client.ts";
import { type Area, type Attack, eachOf } from "../attack.ts";
import { type Opened, agedNonce, formOf, notices, openedBy, pathOf, postForm, press, signedIn } from "../people.ts";
import { type RelaySession, beginSession, isCall, withServer } from "../relay-client.ts";
import type { Answer, World } from "../world.ts";

const schema = {
  type: "object",
  properties: {
    room: { type: "string", enum: ["ada", "grace"] },
    people: { type: "integer", minimum: 1, maximum: 12 },
  },
  required: ["room", "people"],
};
const form = { mode: "form", message: "Which room?", requestedSchema: schema };
const asksWith = (id: string, params: object): object => ({ jsonrpc: "2.0", id, method: "elicitation/create", params });

/** A server whose tool sends these, and ends its call once `id` is answered. */
const asking =
  (world: World, id: string, ...messages: readonly object[]): RawMcpServer["behave"] =>
  (raw, response) => {
    if (!isCall(raw)) return false;
    openStream(response, messages.map((message) => event(message)).join(""));
    void until("the server's answer", () => world.mcp.answersTo(id)[0])
      .catch(() => {})
      .then(() => setTimeout(() => response.end(event(resultOf(raw.message.id))), 200));
    return true;
  };

const call = (id = 1): object => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "book", arguments: {} } });

type Asked = { readonly id: string; readonly review: Opened; readonly session: RelaySession; readonly key: string };

/** One form that its owner has a link to. `more`: what its server sends beside it. */
async function withForm(
  world: World,
  { server = "forms", params = form, more = [] }: { readonly server?: string; readonly params?: object; readonly more?: readonly object[] },
  run: (asked: Asked) => Promise<void>,
): Promise<void> {
  const id = crypto.randomUUID();
  await withServer(world, asking(world, id, asksWith(id, params), ...more), async () => {
    const { key } = await world.newKey({ name: "forms", owner: "Fay" });
    const session = await beginSession(world, server, key);
    const review = await openedBy(world, () => session.post(call()));
    await run({ id, review, session, key });
  });
}

const fill = (fields: URLSearchParams): void => {
  fields.set("edit:/content/room", '"grace"');
  fields.set("edit:/content/people", "4");
};

/** The honest owner's answer, which the server gets once. */
async function expectAnswered(world: World, { id, review }: Asked): Promise<void> {
  expect((await press(world, review.link, "fill", fill)).status, "the owner's answer").toBe(303);
  await review.answer;
  expect(
    world.mcp.answersTo(id).map(({ result }) => result),
    "what the server was told",
  ).toEqual([{ action: "accept", content: { room: "grace", people: 4 } }]);
}

const told = (world: World, id: string): Promise<RawMessage> => until("the server's answer", () => world.mcp.answersTo(id)[0]);
const isAccepted = ({ result }: RawMessage): boolean => result?.["action"] === "accept";

const answering: readonly Attack[] = [
  {
    name: "a client, and another key, answer no form in the owner's place",
    run: (world) =>
      withForm(world, {}, async (asked) => {
        const { id, session } = asked;
        const own = { jsonrpc: "2.0", id, result: { action: "accept", content: { room: "ada", people: 1 } } };
        const bobs = await beginSession(world, "forms", world.bob.key);
        const answers: Answer[] = [];
        for (const message of [own, [own], { ...own, Result: own.result }, { ...own, method: "ping" }])
          for (const mine of [session, bobs]) answers.push(await mine.post(message));
        answers.push(await session.post(own, { key: world.bob.key }));
        expect(
          answers.map(({ status }) => status).filter((status) => status < 400),
          "statuses of what was taken",
        ).toEqual([]);
        expect(world.mcp.answersTo(id), "what the server was told").toEqual([]);
        await expectAnswered(world, asked);
      }),
  },
  {
    name: "twenty answers to a form at once, of two kinds, are one answer",
    run: (world) =>
      withForm(world, {}, async ({ id, review }) => {
        const base = (await formOf(world, review.link)) ?? new URLSearchParams();
        fill(base);
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, index) => {
            const fields = new URLSearchParams(base);
            fields.set("act", index % 2 === 0 ? "fill" : "deny");
            fields.set("nonce", agedNonce(review.link, fields, 2_000));
            return postForm(world, review.link, fields);
          }),
        );
        await review.answer;
        expect(
          answers.filter(({ status }) => status !== 303 && status !== 409),
          "other answers than taken, or too late",
        ).toEqual([]);
        const taken = new Set(answers.flatMap(({ status }, index) => (status === 303 ? [index % 2 === 0] : [])));
        expect(taken.size, "kinds that were taken").toBe(1);
        const [isFilled] = taken;
        expect(
          world.mcp.answersTo(id).map(({ result }) => result?.["action"]),
          "what the server was told",
        ).toEqual([isFilled ? "accept" : "decline"]);
      }),
  },
  ...eachOf(
    [
      ["a bare approval", (fields: URLSearchParams) => fields.set("act", "approve:0")],
      ["a written reply", (fields: URLSearchParams) => fields.set("act", "answer:0")],
      ["a grant", (fields: URLSearchParams) => fields.set("act", "allow")],
      ["a choice that is not in its list", (fields: URLSearchParams) => fields.set("edit:/content/room", "7")],
      ["a number out of its bounds", (fields: URLSearchParams) => fields.set("edit:/content/people", "13")],
      ["a number that is none", (fields: URLSearchParams) => fields.set("edit:/content/people", "0x4")],
      ["a field that it does not have", (fields: URLSearchParams) => fields.set("edit:/content/admin", "true")],
      ["a field of a prototype", (fields: URLSearchParams) => fields.set("edit:/content/__proto__", "true")],
      ["a required field left out", (fields: URLSearchParams) => fields.delete("edit:/content/people")],
    ] as const,
    ([what, change]) => ({
      name: `${what} is no answer to a form`,
      run: (world: World) =>
        withForm(world, {}, async (asked) => {
          const fields = (await formOf(world, asked.review.link)) ?? new URLSearchParams();
          fill(fields);
          fields.set("act", "fill");
          change(fields);
          expect([400, 422], "the status").toContain((await postForm(world, asked.review.link, fields)).status);
          expect(world.mcp.answersTo(asked.id), "what the server was told").toEqual([]);
          await expectAnswered(world, asked);
        }),
    }),
  ),
  {
    name: "a form that nobody answers is cancelled, and neither declined nor sent",
    run: (world) =>
      withForm(world, { server: "forms-brief" }, async ({ id, review }) => {
        const late = (await formOf(world, review.link)) ?? new URLSearchParams();
        fill(late);
        late.set("act", "fill");
        await review.answer;
        expect((await postForm(world, review.link, late)).status, "the late answer").toBe(409);
        expect(
          world.mcp.answersTo(id).map(({ result }) => result),
          "what the server was told",
        ).toEqual([{ action: "cancel" }]);
      }),
  },
];

const hostile: readonly Attack[] = [
  {
    name: "a server that asks again under the id of a form gets no second answer, and nobody's answer to another form",
    run: (world) => {
      const other = { type: "object", properties: { room: { type: "string" }, apiKey: { type: "string" } } };
      return withForm(world, {}, async (asked) => {
        const again = asking(world, asked.id, asksWith(asked.id, { ...form, requestedSchema: other }));
        await expectAnswered(world, asked);
        world.mcp.behave = again;
        await asked.session.post(call(2));
        expect(world.mcp.answersTo(asked.id).slice(1).filter(isAccepted), "answers to the second form").toEqual([]);
      });
    },
  },
  {
    name: "a server that sends one form twice has its owner asked once, and gets one answer",
    run: (world) => {
      const id = crypto.randomUUID();
      return withServer(world, asking(world, id, asksWith(id, form), asksWith(id, form)), async () => {
        const { key } = await world.newKey({ name: "forms", owner: "Fay" });
        const session = await beginSession(world, "forms", key);
        const before = new Set((await notices(world)).map(({ run }) => run));
        const review = await openedBy(world, () => session.post(call()));
        await expectAnswered(world, { id, review, session, key });
        expect(
          (await notices(world)).filter(({ run }) => !before.has(run) && run !== review.run),
          "other forms",
        ).toEqual([]);
      });
    },
  },
  {
    name: "a server that asks for a form while no request of its client is in flight asks nobody",
    run: async (world) => {
      const id = crypto.randomUUID();
      await withServer(
        world,
        ({ method }, response) => {
          if (method !== "GET") return false;
          openStream(response, event(asksWith(id, form)));
          void told(world, id).finally(() => response.end());
          return true;
        },
        async () => {
          const { key } = await world.newKey({ name: "forms", owner: "Fay" });
          const session = await beginSession(world, "forms", key);
          const before = (await notices(world)).length;
          await session.get();
          expect(isAccepted(await told(world, id)), "it was answered").toBe(false);
          expect((await notices(world)).length, "forms that wait").toBe(before);
        },
      );
    },
  },
  {
    name: "a form that imitates the page is text on it, and is answered by its own fields alone",
    run: (world) => {
      const message =
        '</p><form action="https://evil.example"><script>document.forms[0].submit()</script><button name="act" value="fill">Send';
      const params = {
        ...form,
        message,
        requestedSchema: { ...schema, properties: { ...schema.properties, note: { type: "string", title: message } } },
      };
      return withForm(world, { params }, async (asked) => {
        const { text } = await world.ask(pathOf(asked.review.link), { key: null });
        expect(text, "the page").toContain("&lt;script&gt;");
        expect(text, "the page").not.toMatch(/<script>document|<form[^>]*evil\.example|href="https:\/\/evil/);
        await expectAnswered(world, asked);
      });
    },
  },
  ...eachOf(
    [
      ["nested", { type: "object", properties: { a: { type: "object", properties: {} } } }],
      [
        "of a hundred fields",
        { type: "object", properties: Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`f${at}`, { type: "string" }])) },
      ],
      [
        "of ten thousand choices",
        { type: "object", properties: { a: { type: "string", enum: Array.from({ length: 10_000 }, (_, at) => `c${at}`) } } },
      ],
      ["of a million letters", { type: "object", properties: { a: { type: "string", title: "x".repeat(1_000_000) } } }],
      ["that refers to itself", { $ref: "#" }],
      ["with a prototype", JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as object],
      ["that is none", { type: "string" }],
    ] as const,
    ([what, requestedSchema]) => ({
      name: `a form with a schema ${what} is refused, and nobody is asked`,
      run: (world: World) => refused(world, "forms", { ...form, requestedSchema }),
    }),
  ),
  {
    name: "a form with a pattern that backtracks holds up neither its page nor its answer",
    run: (world) => {
      const requestedSchema = { type: "object", properties: { a: { type: "string", pattern: "^(([a-z]+)+)+$" } } };
      const id = crypto.randomUUID();
      return withServer(world, asking(world, id, asksWith(id, { ...form, requestedSchema })), async () => {
        const { key } = await world.newKey({ name: "forms", owner: "Fay" });
        const session = await beginSession(world, "forms", key);
        const started = Date.now();
        // Null: it was refused at once.
        const review = await openedBy(world, () => session.post(call())).catch(() => null);
        if (review !== null) {
          const change = (fields: URLSearchParams): void => fields.set("edit:/content/a", `${"a".repeat(5_000)}!`);
          expect((await press(world, review.link, "fill", change)).status, "the status").not.toBe(303);
          await press(world, review.link, "deny");
          await review.answer;
        }
        expect(Date.now() - started, "milliseconds").toBeLessThan(60_000);
        expect(world.mcp.answersTo(id).filter(isAccepted), "what the server was told").toEqual([]);
      });
    },
  },
  ...eachOf(
    [
      "http://linear.app/",
      "javascript:alert(1)",
      "data:text/html,<script>alert(1)</script>",
      "https://linear.app@evil.example/",
      "https://user:secret@linear.app/",
      "https://linear.app.evil.example/",
      "https://LINEAR.app.:444@evil.example/",
      "https://127.0.0.1/",
      "https://[::ffff:10.0.0.1]/",
      "https://0x7f.1/",
      "https://xn--lnear-n4a.app/",
      "//linear.app/",
    ],
    (url) => ({
      name: `a server has nobody open ${JSON.stringify(url)}`,
      run: (world: World) => refused(world, "forms-listed", { mode: "url", message: "Sign in", elicitationId: "e", url }),
    }),
  ),
  {
    name: "a server has nobody open the gateway's own address, in no spelling",
    run: async (world) => {
      for (const url of [
        `${world.url}/inbox`,
        world.url.replace("http:", "https:"),
        `https://LOCALHOST:${world.port}/r/x`,
        `https://localhost.:${world.port}/`,
      ])
        await refused(world, "forms", { mode: "url", message: "Sign in", elicitationId: "e", url });
    },
  },
];

/** What only the owner of the key may read of a sign-in. */
const signIn = {
  mode: "url",
  message: "Sign in to the room's calendar.",
  elicitationId: "e",
  url: "https://linear.app/?state=of-the-owner",
};

const forwarded: readonly Attack[] = [
  {
    name: "an address that a server wants opened is read, declined and dismissed by nobody but the signed-in owner of the key",
    run: async (world) => {
      const id = crypto.randomUUID();
      await withServer(world, asking(world, id, asksWith(id, signIn)), async () => {
        const { id: keyId, key } = await world.newKey({ name: "forms", owner: "Fay" });
        const session = await beginSession(world, "forms", key);
        const called = session.post(call());
        const run = await until("its review", async () => {
          const { runs } = (await world.admin(`/runs?state=waiting&key=${keyId}`)).json as { readonly runs: { readonly id: string }[] }; // the contract's
          return runs[0]?.id;
        });
        const path = `/inbox/reviews/request/${run}`;
        const fay = await signedIn(world, "fay@example.org");
        const fields = await until("the owner's page", () => fay.form(path).catch(() => null));
        for (const told of [JSON.stringify((await world.admin("/notices?limit=500")).json), JSON.stringify(world.mail.taken)])
          expect(told, "what was sent to people").not.toMatch(/of-the-owner|room's calendar/);
        const ben = await signedIn(world, "ben@example.org");
        expect(await (await ben.send(path)).text(), "another person's page").not.toMatch(/linear\.app|room's calendar/);
        expect((await world.ask(path, { key: null })).text, "the page of somebody who is not signed in").not.toMatch(
          /linear\.app|calendar/,
        );
        for (const act of ["deny", "dismiss", "fill"]) {
          fields.set("act", act);
          expect((await ben.post(path, fields)).status, `${act} by another person`).toBe(404);
          const answer = await world.ask(path, { method: "POST", key: null, body: fields });
          expect(answer.headers.get("Location") ?? "", `${act} by nobody`).not.toContain("done");
        }
        expect(world.mcp.answersTo(id), "what the server was told").toEqual([]);
        fields.set("act", "deny");
        // Until the page is a second old, which its form has to be.
        await until("her own answer", async () => ((await fay.post(path, fields)).status === 303 ? true : null));
        await called;
        expect((await told(world, id)).result?.["action"], "what the server was told").toBe("decline");
      });
    },
  },
];

/** The server is told that its request is none, and nobody is asked. */
async function refused(world: World, server: string, params: object): Promise<void> {
  const id = crypto.randomUUID();
  await withServer(world, asking(world, id, asksWith(id, params)), async () => {
    const { key } = await world.newKey({ name: "forms", owner: "Fay" });
    const session = await beginSession(world, server, key);
    const before = (await notices(world)).length;
    const { text } = await session.post(call());
    expect(text, "what the client got").not.toContain("elicitation/create");
    expect(isAccepted(await told(world, id)), "it was answered").toBe(false);
    expect((await notices(world)).length, "forms that wait").toBe(before);
  });
}

export const forms: Area = {
  name: "forms",
  about: "forms that a person answers for a client: who answers, what counts, and what servers may ask",
  attacks: [...answering, ...hostile, ...forwarded],
};
