import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, freePort } from "../../../scripts/local-gateway.ts";
import { startTestGateway } from "../../outside/support/test-gateway.ts";
import { type Notice, type Operator, operatorOf } from "../../../scripts/operator.ts";
import { decideByLink } from "../../../scripts/page-form.ts";
import { familyOf, stillRunning } from "../../outside/support/processes.ts";
import { eventually } from "../../outside/support/program.ts";
import { type AnyClient, EVERYTHING, GENERATIONS, parametersOf, type Through, type Told } from "../../outside/stdio/clients.ts";
import { KEY } from "../../outside/stdio/wrapped.ts";

const SAMPLING_TOOLS = ["trigger-sampling-request", "trigger-sampling-request-async"];

/** What is different in every run of the server. */
const settled = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, inner: unknown) => {
      if (name === "blob") return Buffer.from(String(inner), "base64").toString("latin1");
      return (inner instanceof Error ? inner.message : inner) ?? null;
    })
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
      .replaceAll(/\d{1,2}:\d\d:\d\d( [AP]M)?/g, "<time>")
      .replaceAll(/"[\da-f]{32}"/g, '"<id>"'),
  ) as unknown;

/** Every result of the reference server that does not come from sampling, by what was asked. */
async function everythingOf(client: AnyClient): Promise<Record<string, unknown>> {
  const seen: Record<string, unknown> = {};
  const note = async (name: string, work: Promise<unknown>): Promise<void> => {
    seen[name] = settled(await work.catch((error: unknown) => error));
  };
  const call = (name: string, given: Record<string, unknown> = {}): Promise<void> =>
    note(`${name} ${JSON.stringify(given)}`, client.callTool({ name, arguments: given }));
  seen["about"] = settled(client.about());
  const { tools } = await client.listTools();
  seen["tools"] = tools.filter(({ name }) => !SAMPLING_TOOLS.includes(name));
  await note("prompts", client.listPrompts());
  await note("resources", client.listResources());
  await note("templates", client.listResourceTemplates());
  await note("prompt simple", client.getPrompt({ name: "simple-prompt" }));
  await note("prompt args", client.getPrompt({ name: "args-prompt", arguments: { city: "Bern", state: "BE" } }));
  await note("prompt missing", client.getPrompt({ name: "no-such-prompt" }));
  await note(
    "complete",
    client.complete({ ref: { type: "ref/prompt", name: "completable-prompt" }, argument: { name: "department", value: "E" } }),
  );
  for (const { uri } of (await client.listResources()).resources) await note(`read ${uri}`, client.readResource({ uri }));
  for (const kind of ["text", "blob"]) await note(`read ${kind}`, client.readResource({ uri: `demo://resource/dynamic/${kind}/1` }));
  await note("read missing", client.readResource({ uri: "demo://nothing" }));
  await call("echo", { message: "grüße \u2028 😀" });
  await call("echo", { wrong: 1 });
  for (const messageType of ["error", "success", "debug"]) await call("get-annotated-message", { messageType, includeImage: true });
  await call("get-env");
  await call("get-resource-links", { count: 3 });
  await call("get-resource-reference", { resourceType: "Text", resourceId: 1 });
  await call("get-structured-content", { location: "Chicago" });
  await call("get-sum", { a: 1, b: 2 });
  await call("get-tiny-image");
  await call("gzip-file-as-resource", { name: "a.gz", data: "data:text/plain,hello", outputType: "resource" });
  await call("get-roots-list");
  await call("trigger-elicitation-request");
  await call("trigger-url-elicitation", { url: "https://example.com", message: "m", elicitationId: "e" });
  await call("no-such-tool");
  await note(
    "long",
    client.callTool({ name: "trigger-long-running-operation", arguments: { duration: 0.2, steps: 4 } }, () => undefined),
  );
  seen["steps"] = client.progress();
  for (const name of ["toggle-simulated-logging", "toggle-subscriber-updates"]) {
    await call(name);
    await call(name);
  }
  return seen;
}

describe.each(GENERATIONS)("the reference server behind the command, with a client of %s that has no sampling", (_, connect) => {
  test("gives the same for every list, prompt, resource and tool as without the command", async () => {
    const collect = async (through: Through): Promise<Record<string, unknown>> => {
      const client = await connect(EVERYTHING, through);
      try {
        // The server asks for roots a moment after it was initialized, and its tools say whether it
        // has them.
        await eventually("the roots", async () =>
          JSON.stringify(await client.callTool({ name: "get-roots-list", arguments: {} })).includes("file:///somewhere"),
        );
        return await everythingOf(client);
      } finally {
        await client.close();
      }
    };
    const [alone, behind] = await Promise.all([collect("direct"), collect({})]);
    expect(Object.keys(alone).length).toBeGreaterThan(35);
    expect(behind).toEqual(alone);
    expect(JSON.stringify(alone["get-env {}"])).toContain("SOME_VALUE");
    expect(alone["steps"]).toHaveLength(4);
  });

  test("offers the tools that sample, which it does not offer without the command, and logs nothing more", async () => {
    const names = async (through: Through): Promise<string[]> => {
      const client = await connect(EVERYTHING, through);
      const { tools } = await client.listTools();
      await client.close();
      return tools.map(({ name }) => name).filter((name) => name.includes("sampling"));
    };
    // Side by side: a client of the SDK gives its server two seconds to end by itself.
    const offered = await Promise.all(
      (["direct", {}, { options: ["--no-tasks"] }, { options: ["--mode", "forward"] }] as const).map(names),
    );
    expect(offered.map((each) => each.toSorted())).toEqual([[], SAMPLING_TOOLS, ["trigger-sampling-request"], []]);
  });
});

test("a tool that the client calls as a task gives the same behind the command as without it", async () => {
  const collect = async (through: Through): Promise<unknown> => {
    const client = new Client({ name: "tasks", version: "1" });
    await client.connect(new StdioClientTransport(parametersOf(EVERYTHING, through)));
    const seen: unknown[] = [];
    const stream = client.experimental.tasks.callToolStream({ name: "simulate-research-query", arguments: { topic: "MCP" } }, undefined, {
      task: { ttl: 60_000 },
    });
    for await (const message of stream)
      if (message.type !== "taskStatus") seen.push(message.type === "taskCreated" ? message.type : message);
    await client.close();
    return settled(seen);
  };
  const [alone, behind] = await Promise.all([collect("direct"), collect({})]);
  expect(alone).toMatchObject(["taskCreated", { type: "result" }]);
  expect(behind).toEqual(alone);
});

describe("with a gateway", () => {
  const variables = {
    ADMIN_TOKEN: "admin-token-of-the-tests-0123456789",
    LINK_KEY: "link-key-of-the-tests-0123456789abcdef",
    DEV_API_KEY: KEY,
  };
  const folder = mkdtempSync(join(tmpdir(), "countersign-stdio-"));
  const seen = new Set<string>();
  let port: number;
  let gateway: Gateway;
  let operator: Operator;
  const start = async (): Promise<void> => {
    gateway = await startTestGateway({ port, persistTo: folder, variables });
  };

  beforeAll(async () => {
    port = await freePort();
    await start();
    operator = operatorOf(gateway.url, variables.ADMIN_TOKEN);
    down = withoutGateway();
    // Its own test says what went wrong.
    down.catch(() => undefined);
  });
  afterAll(async () => {
    await gateway?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function nextReview(gate: Notice["gate"]): Promise<string> {
    const notice = await eventually(`a review at the ${gate} gate`, async () =>
      (await operator.waiting()).find((each) => each.gate === gate && !seen.has(each.link ?? "")),
    );
    seen.add(notice.link ?? "");
    return notice.link ?? "";
  }
  const approve = async (gate: Notice["gate"]): Promise<void> => {
    expect((await decideByLink(await nextReview(gate), "approve")).status).toBe(303);
  };
  const ask = (client: AnyClient, name: string, onprogress?: (told: Told) => void, signal?: AbortSignal): Promise<unknown> =>
    client.callTool({ name, arguments: { prompt: "Say hello in five words.", maxTokens: 50 } }, onprogress, signal);
  /** Begun first and looked at last: the server's patience passes while the other tests run. */
  async function withoutGateway(): Promise<{ client: AnyClient; result: Promise<unknown>; echoed: unknown }> {
    const [, connect] = GENERATIONS[0];
    const client = await connect(EVERYTHING, { url: `http://127.0.0.1:${await freePort()}` });
    const result = ask(client, "trigger-sampling-request");
    await eventually("the first line", () => client.stderr().includes("cannot be reached"));
    return { client, result, echoed: await client.callTool({ name: "echo", arguments: { message: "on" } }) };
  }
  let down: ReturnType<typeof withoutGateway>;

  const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content.map(({ text }) => text).join();

  describe.each(GENERATIONS)("a client of %s that has no sampling", (_, connect) => {
    test("gets the reviewed reply out of trigger-sampling-request, and hears what is waited for", async () => {
      const client = await connect(EVERYTHING, { url: gateway.url });
      const result = ask(client, "trigger-sampling-request", () => undefined);
      await approve("request");
      await approve("response");
      expect(textOf(await result)).toMatch(/LLM sampling result:[\s\S]*built-in demo, not a model[\s\S]*context: Say hello/);
      const told = client.progress();
      expect(told.map(({ message }) => message)).toEqual(
        expect.arrayContaining(["Waiting for a person to review the request", "Waiting for a person to review the reply"]),
      );
      expect(told.map(({ progress }) => progress)).toEqual([...new Set(told.map(({ progress }) => progress))].toSorted((a, b) => a - b));
      expect(client.stderr()).not.toContain("countersign:");
      await client.close();
    });

    test("gets it out of trigger-sampling-request-async, which asks for a task", async () => {
      const client = await connect(EVERYTHING, { url: gateway.url });
      const result = ask(client, "trigger-sampling-request-async");
      await approve("request");
      await approve("response");
      expect(textOf(await result)).toMatch(/\[COMPLETED\] Async sampling completed![\s\S]*context: Say hello/);
      await client.close();
    });

    test("sees a person's no as the server tells it", async () => {
      const client = await connect(EVERYTHING, { url: gateway.url });
      const result = ask(client, "trigger-sampling-request");
      expect((await decideByLink(await nextReview("request"), "deny")).status).toBe(303);
      expect(textOf(await result)).toContain("MCP error -1: User rejected sampling request");
      await client.close();
    });

    test("withdraws the review when it cancels its call, and when it goes away", async () => {
      const client = await connect(EVERYTHING, { url: gateway.url });
      const stop = new AbortController();
      const result = ask(client, "trigger-sampling-request", undefined, stop.signal).catch(() => "cancelled");
      const first = await nextReview("request");
      stop.abort();
      expect(await result).toBe("cancelled");
      await eventually("the end of the first review", async () => (await operator.waiting()).every(({ link }) => link !== first));

      const lost = ask(client, "trigger-sampling-request").catch(() => "lost");
      const second = await nextReview("request");
      const family = familyOf(client.pid());
      await client.close();
      expect(await lost).toBe("lost");
      await eventually("the end of the second review", async () => (await operator.waiting()).every(({ link }) => link !== second));
      await eventually("the end of both processes", () => stillRunning(family).length === 0);
    });
  });

  test("two calls at once are refused by default, and served in inFlight mode", async () => {
    const [, connect] = GENERATIONS[0];
    const strict = await connect(EVERYTHING, { url: gateway.url });
    const over = new AbortController();
    const long = { name: "trigger-long-running-operation", arguments: { duration: 600, steps: 1 } };
    const slow = strict.callTool(long, undefined, over.signal).catch(() => "over");
    expect(textOf(await ask(strict, "trigger-sampling-request"))).toContain("Sampling request is not associated with a client request");
    // Another pipe than the answer's: it may come a moment later.
    await eventually("the line on stderr", () =>
      /^countersign: A sampling request of "everything" was refused: several requests are open/m.test(strict.stderr()),
    );
    await strict.close();

    const inFlight = await connect(EVERYTHING, { url: gateway.url, options: ["--association", "inFlight"] });
    const beside = inFlight.callTool(long, undefined, over.signal).catch(() => "over");
    const result = ask(inFlight, "trigger-sampling-request");
    await approve("request");
    await approve("response");
    expect(textOf(await result)).toContain("LLM sampling result");
    over.abort();
    expect(await Promise.all([slow, beside])).toEqual(["over", "over"]);
    await inFlight.close();
  });

  test("a key that the gateway does not know is a clear error for the server and one line on stderr; all else goes on", async () => {
    const [, connect] = GENERATIONS[0];
    const wrongKey = "wrong-key-of-the-tests-0123456789abcdef";
    const [command = "", ...args] = EVERYTHING;
    const client = await connect(["env", `COUNTERSIGN_API_KEY=${wrongKey}`, ...commandOf(gateway.url), command, ...args], "direct");
    expect(textOf(await ask(client, "trigger-sampling-request"))).toContain("does not accept this host's API key (HTTP 401)");
    expect(textOf(await client.callTool({ name: "echo", arguments: { message: "on" } }))).toBe("Echo: on");
    await eventually("the line on stderr", () => /^countersign: .*API key/m.test(client.stderr()));
    expect(client.stderr().match(/^countersign: .*API key/gm)).toHaveLength(1);
    expect(client.stderr()).not.toContain(wrongKey);
    await client.close();
  });

  test("a server that waits gets its answer from a gateway that was killed with -9 and started again", async () => {
    const [, connect] = GENERATIONS[0];
    const client = await connect(EVERYTHING, { url: gateway.url });
    const result = ask(client, "trigger-sampling-request");
    const link = await nextReview("request");
    await gateway.stop("kill");
    await start();
    expect((await decideByLink(link, "approve")).status).toBe(303);
    await approve("response");
    expect(textOf(await result)).toContain("LLM sampling result");
    await client.close();
  });

  test("a gateway that is down is an error within the server's own patience, and all else goes on meanwhile", async () => {
    const { client, result, echoed } = await down;
    expect(textOf(echoed)).toBe("Echo: on");
    expect(textOf(await result)).toContain("MCP error -32001: The sampling gateway cannot be reached.");
    expect(client.stderr().match(/^countersign: .*cannot be reached/gm)).toHaveLength(1);
    await client.close();
  });
});

const commandOf = (url: string): string[] => [
  process.execPath,
  "client/cli/main.ts",
  "stdio",
  "--server",
  "everything",
  "--url",
  url,
  "--",
];
