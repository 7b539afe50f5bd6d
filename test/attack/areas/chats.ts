// The chats in which nothing can be decided, ntfy and Telegram: what a requestor writes stays text
// there, and neither's token is to be read anywhere.

import { expect } from "vitest";
import { until } from "../../outside/support/raw-client.ts";
import { type Area, type Attack, eachOf } from "../attack.ts";
import { askedByNtfy, askedByTelegram, nextPlace } from "../channels.ts";
import { factsOf, opened, press, rpcOf } from "../people.ts";
import { type World, secrets } from "../world.ts";

/** What a chat could take for markup, a link, a mention or a command. */
const markup = [
  "<b>bold</b> *bold* _x_ `code` ~~x~~ ||x|| [Approve](https://evil.example/a) <a href='https://evil.example/b'>Approve</a>",
  "evil.example/c http://1.2.3.4/d a@evil.example tg://resolve?domain=evil /approve @everyone #tag $TAG",
  "``` </code></pre> ``` &lt;b&gt; \\*x\\*",
].join("\n");
const tool = "look](https://evil.example/e) @everyone /approve <b>";

/** Of what a chat makes a link; the app of ntfy for Android in a title too. */
const addresses = ["evil.example", "https://evil", "1.2.3.4", "a@evil", "tg://"];
const isOurs = (world: World, address: string): boolean => address.startsWith(`${world.url}/`);

async function mustAnswer(world: World, link: string, answer: Promise<Parameters<typeof rpcOf>[0]>): Promise<void> {
  expect((await press(world, link, "deny")).status, "the decision").toBe(303);
  expect(rpcOf(await answer).error, "the caller's answer").toBeDefined();
}

const texts: readonly Attack[] = [
  {
    name: "what a requestor writes is plain text in an ntfy message: no Markdown, no address, no link but the reviewer's",
    run: async (world) => {
      const { notice, answer } = await askedByNtfy(world, { tool, text: markup });
      expect(notice.message, "the message has no content: the attack shows nothing").toContain("<b>bold</b>");
      for (const address of addresses) expect(`${notice.title}\n${notice.message}`, "what is shown").not.toContain(address);
      for (const link of [notice.click ?? "", ...notice.links]) expect(isOurs(world, link), `it opens ${link}`).toBe(true);
      expect(JSON.parse(world.ntfy.requests.at(-1)?.body ?? "{}"), "the request").not.toHaveProperty("markdown");
      await mustAnswer(world, notice.click ?? "", answer);
    },
  },
  {
    name: "what a requestor writes is plain text in a Telegram message: no markup, no mention, no command, no link but the reviewer's",
    run: async (world) => {
      const { notice, answer } = await askedByTelegram(world, { tool, text: markup });
      const { text, entities, links } = notice;
      expect(text, "the message has no content: the attack shows nothing").toContain("<b>bold</b>");
      for (const address of addresses) expect(text, "what is shown").not.toContain(address);
      for (const link of links) expect(isOurs(world, link), `it opens ${link}`).toBe(true);
      // Telegram finds no mention and no command in these.
      const free = entities
        .filter(({ type }) => type === "pre" || type === "code")
        .reduce((left, { offset, length }) => left.slice(0, offset) + "x".repeat(length) + left.slice(offset + length), text);
      for (const found of ["@everyone", "/approve", "#tag", "$TAG"]) expect(free, "what Telegram reads").not.toContain(found);
      await mustAnswer(world, links[0] ?? /http:\/\/\S+\/r\/\S+/.exec(text)?.[0] ?? "", answer);
    },
  },
];

/** Everything that operators, monitors and the requestor can read of a run. */
async function mustKeepSecret(world: World, run: string): Promise<void> {
  const read = [await world.ask("/healthz", { key: null }), await world.ask(`/runs/${run}`)];
  for (const path of ["/notices?limit=500", `/record?run=${run}`, `/runs/${run}`, `/runs/${run}/events`, "/doctor"])
    read.push(await world.admin(path));
  read.push(await world.ask("/metrics", { key: secrets.admin }));
  for (const { text } of read)
    for (const secret of [secrets.ntfy, secrets.telegram, secrets.telegram.slice(secrets.telegram.indexOf(":") + 1)])
      expect(text, "what can be read").not.toContain(secret);
}

const answers = (world: World) => ({
  "a redirect to a place inside": { status: 307, headers: { Location: `${world.trap.url}/latest/meta-data` } },
  "an error that repeats the token": { status: 400, body: { ok: false, description: secrets.telegram, error: secrets.ntfy } },
  "a megabyte": { status: 200, body: { ok: true, filler: "x".repeat(1_000_000) } },
});

const services = eachOf(
  (["ntfy", "telegram"] as const).flatMap((channel) =>
    (["a redirect to a place inside", "an error that repeats the token", "a megabyte"] as const).map((what) => [channel, what] as const),
  ),
  ([channel, what]) => ({
    name: `${channel} answers ${what}: nothing is followed, no token is read anywhere, and the review goes on`,
    run: async (world) => {
      const place = nextPlace(channel);
      const requests = (): number => (channel === "ntfy" ? world.ntfy.requests : world.telegram.calls).length;
      const before = requests();
      world[channel].script(answers(world)[what]);
      const { run, link, answer } = await opened(world, { server: `by-${channel}-${place}` });
      await until("the notice's end", async () =>
        (await factsOf(world, run)).some(({ kind, channel: of }) => kind === "noticed" && of === channel),
      );
      expect(requests(), "requests to the service: the attack shows nothing").toBeGreaterThan(before);
      await mustKeepSecret(world, run);
      await mustAnswer(world, link, answer);
    },
  }),
);

export const chats: Area = {
  name: "chats",
  about: "ntfy and Telegram: markup and addresses in what a requestor writes, tokens, hostile servers",
  attacks: [...texts, ...services],
};
