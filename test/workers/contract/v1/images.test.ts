// Images by their addresses: fetched once the key has admitted the request, and a part of what the
// request is.

import { beforeEach, expect, test } from "vitest";
import { images } from "../../../support/image-files.ts";
import { everyKind, gates } from "../../support/control.ts";
import { configure, createKey, eventually, model, notices, openNotice } from "../../support/gateway.ts";
import { answerAt } from "../../support/provider.ts";
import { decide } from "../../support/reviewer.ts";
import { chatOf, postV1, runIn } from "../../support/v1.ts";

const host = "images.example.com";
let fetched: string[] = [];

beforeEach(async () => {
  await configure("routing", everyKind);
  fetched = [];
  answerAt(`https://${host}`, (request) => {
    const { pathname } = new URL(request.url);
    fetched.push(pathname);
    if (pathname === "/gone.png") return new Response("", { status: 404 });
    return new Response(images["image/png"], { headers: { "Content-Type": "image/png" } });
  });
});

const about = (path: string): object =>
  chatOf("", {
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url: `https://${host}${path}` } },
        ],
      },
    ],
  });

test("an image of a listed host is fetched, and the model gets its bytes", async () => {
  await gates({}, { imageHosts: [host] });
  const answer = await postV1("/chat/completions", about("/a.png"));
  expect(answer.status).toBe(200);
  expect(fetched).toEqual(["/a.png"]);
  expect(JSON.stringify(model.calls[0]?.body)).toContain("data:image/png;base64,");
});

test("one of another host is refused where it stands, and nothing is fetched", async () => {
  await gates();
  const answer = await postV1("/chat/completions", about("/a.png"));
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: { param: "messages[0].content[1].image_url.url" } }]);
  expect(fetched).toEqual([]);
});

test("the same question about another image is another request: its requestor gets no reply about the first", async () => {
  await gates({ request: "review" }, { imageHosts: [host] });
  const first = postV1("/chat/completions", about("/a.png"));
  const { run } = await openNotice("request");
  const second = postV1("/chat/completions", about("/b.png"), { "X-Stainless-Retry-Count": "1" });
  const other = await eventually("a review of the second", async () => (await notices()).find((each) => each.run !== run));
  await decide("request", "approve", other.run);
  const answer = await (await second).json<object>();
  expect(runIn(answer)).toBe(other.run);
  expect(fetched).toEqual(["/a.png", "/b.png"]);
  await decide("request", "deny", run);
  expect((await first).status).toBe(403);
});

test("what cannot be fetched occupies no place of its key", async () => {
  await gates({}, { imageHosts: [host] });
  const { key } = await createKey({ limits: { concurrent: 2 } });
  for (let i = 0; i < 6; i += 1) {
    const answer = await eventually("a place", async () => {
      const given = await postV1("/chat/completions", about("/gone.png"), {}, key);
      return given.status === 429 ? null : given;
    });
    expect(answer.status).toBe(400);
  }
});

test("a repeat gets its answer also where its image is gone", async () => {
  await gates({}, { imageHosts: [host] });
  const headers = { "Idempotency-Key": "with-an-image" };
  const body = about("/a.png");
  const first = await (await postV1("/chat/completions", body, headers)).json<object>();
  answerAt(`https://${host}`, () => new Response("", { status: 404 }));
  const again = await eventually("the answer is kept", async () => {
    const answer = await postV1("/chat/completions", body, headers);
    return answer.status === 200 ? answer.json<object>() : null;
  });
  expect(runIn(again)).toBe(runIn(first));
  expect(model.calls).toHaveLength(1);
});
