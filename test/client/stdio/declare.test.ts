import { describe, expect, test } from "vitest";
import { type DeclareOptions, declareAnswers } from "../../../client/stdio/declare.ts";

const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const sampledTasks = { list: {}, cancel: {}, requests: { sampling: { createMessage: {} } } };

function declare(
  params: object,
  options: Partial<DeclareOptions> = {},
  text = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
) {
  const given = JSON.parse(text) as { params: { [name: string]: unknown } };
  const { line, declared } = declareAnswers(new TextEncoder().encode(`${text}\n`), given.params, {
    mode: "fulfil",
    elicitation: "forward",
    tools: true,
    tasks: true,
    ...options,
  });
  const after = new TextDecoder().decode(line);
  return { after, before: `${text}\n`, declared, params: (JSON.parse(after) as { params: unknown }).params };
}

describe("the client's initialize on its way to the server", () => {
  const extended = { experimental: { "countersign/responseFormat": {} } };

  test.each(revisions)("gains sampling in %s, with tools and tasks only where the revision has them", (protocolVersion) => {
    const client = { protocolVersion, capabilities: { roots: { listChanged: true } }, clientInfo: { name: "c", version: "1" } };
    const ours = protocolVersion === "2025-11-25" ? { sampling: { tools: {} }, tasks: sampledTasks } : { sampling: {} };
    expect(declare(client).params).toEqual({ ...client, capabilities: { roots: { listChanged: true }, ...extended, ...ours } });
  });

  test.each(revisions)("gains forms in %s, with addresses only where the revision has them, whoever samples", (protocolVersion) => {
    const elicitation = protocolVersion === "2025-11-25" ? { form: {}, url: {} } : {};
    const client = { protocolVersion, capabilities: { roots: {} } };
    const declared = declare(client, { mode: "forward", elicitation: "fulfil" });
    expect(declared.params).toEqual({ ...client, capabilities: { roots: {}, elicitation } });
    expect(declared.declared.here).toEqual(["elicitation/create"]);
    const own = { protocolVersion, capabilities: { elicitation: { form: {} } } };
    expect(declare(own, { mode: "forward", elicitation: "fallback" }).params).toEqual(own);
  });

  test("keeps every other byte: names and their order, white space, long numbers, what nobody knows", () => {
    const text =
      '{ "id": 12345678901234567890,\t"method":"initialize", "x-new":1.0e2,"params" : {"protocolVersion":"2025-06-18","capabilities":{ "experimental":{"é":1.50}} ,"clientInfo":{"name":"\\u0063","version":"1"}},"jsonrpc":"2.0"}';
    const { after } = declare({}, {}, text);
    const sampled = text.replace('{ "experimental":{', '{"sampling":{}, "experimental":{"countersign/responseFormat":{},');
    expect(after).toBe(`${sampled}\n`);
  });

  test("adds nothing but sampling in a revision that nobody knows", () => {
    const client = { protocolVersion: "2027-01-01", capabilities: { experimental: { own: {} } } };
    expect(declare(client).params).toEqual({ ...client, capabilities: { ...client.capabilities, sampling: {} } });
    expect(declare({ protocolVersion: "2027-01-01" }).params).toEqual({ protocolVersion: "2027-01-01", capabilities: { sampling: {} } });
  });

  test("leaves tools and tasks out where the options say so", () => {
    const client = { protocolVersion: "2025-11-25", capabilities: {} };
    expect(declare(client, { tools: false, tasks: false })).toMatchObject({
      params: { ...client, capabilities: { sampling: {}, ...extended } },
      declared: { samplingTasks: false },
    });
    const tasks = { requests: { elicitation: { create: {} } } };
    expect(declare({ ...client, capabilities: { tasks } }, { tools: false, tasks: false }).params).toEqual({
      ...client,
      capabilities: { sampling: {}, ...extended, tasks },
    });
    expect(declare(client).declared).toMatchObject({ samplingTasks: true, clientTasks: false, clientSamples: false });
  });

  test("keeps the client's own tasks beside sampling's", () => {
    const tasks = { cancel: {}, requests: { elicitation: { create: {} } } };
    const { params, declared } = declare({ protocolVersion: "2025-11-25", capabilities: { elicitation: {}, tasks } });
    expect(params).toMatchObject({
      capabilities: {
        elicitation: {},
        ...extended,
        tasks: { cancel: {}, requests: { elicitation: { create: {} }, sampling: { createMessage: {} } } },
      },
    });
    expect(declared).toMatchObject({ clientTasks: true, clientLists: false, samplingTasks: true });
  });

  test("replaces the client's own sampling in mode fulfil, so that nothing is declared that the gateway does not do", () => {
    const client = { protocolVersion: "2025-11-25", capabilities: { sampling: { context: {} } } };
    expect(declare(client).params).toMatchObject({ capabilities: { sampling: { tools: {} } } });
    expect(JSON.stringify(declare(client).params)).not.toContain("context");
  });

  test("is passed as it came in mode forward, and in mode fallback where the client has sampling", () => {
    const without = { protocolVersion: "2025-11-25", capabilities: {} };
    const having = { protocolVersion: "2025-11-25", capabilities: { sampling: {} } };
    for (const [params, mode] of [
      [without, "forward"],
      [having, "forward"],
      [having, "fallback"],
    ] as const) {
      const { after, before, declared } = declare(params, { mode });
      expect(after).toBe(before);
      expect(declared).toMatchObject({ clientSamples: params === having, samplingTasks: false });
    }
    expect(declare(without, { mode: "fallback" }).params).toMatchObject({ capabilities: { sampling: { tools: {} } } });
  });

  test("gets capabilities where the client sent none, and is left alone where it has no params", () => {
    expect(declare({ protocolVersion: "2025-06-18" }).params).toEqual({
      protocolVersion: "2025-06-18",
      capabilities: { sampling: {}, ...extended },
    });
    const line = new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"method":"initialize"}\n');
    expect(declareAnswers(line, {}, { mode: "fulfil", elicitation: "forward", tools: true, tasks: true }).line).toBe(line);
  });
});
