// What else leaves the gateway beside spans: data points, what the doctor asks the collector, and
// the trace that the relay passes on.

import { beforeEach, describe, expect, test } from "vitest";
import { adminToken, answerOf, errorOf, eventually, gateway, gatewayWith, jsonBody, model, samplingMessage } from "../support/gateway.ts";
import { configureServers, scriptUpstream, upstreamOrigin } from "../support/mcp-server.ts";
import { StatelessClient, samplesOnce } from "../support/stateless.ts";
import { collectorAnswers, exported, traceOf } from "./collector.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;

describe("a data point", () => {
  const points: AnalyticsEngineDataPoint[] = [];
  const METRICS: AnalyticsEngineDataset = { writeDataPoint: (point = {}) => void points.push(point) };
  beforeEach(() => {
    points.length = 0;
  });
  const ask = (message: object): Promise<Response> => gatewayWith({ METRICS }, "/sampling", jsonBody("POST", message));

  test("is written for each request that ends, within the limits of Analytics Engine, without content", async () => {
    await answerOf(ask(samplingMessage()));
    await errorOf(ask(samplingMessage({ server: "refused" })));
    await eventually("both points", async () => points.length === 2);
    expect(points.map(({ blobs }) => blobs)).toEqual([
      ["sampling", "completed", "", "first", "open"],
      ["sampling", "refused", "policyRefused", "", "refused"],
    ]);
    expect(points[0]?.doubles?.slice(1)).toEqual([0, 12, 5, expect.closeTo(22e-6, 10)]);
    for (const { indexes = [], blobs = [], doubles = [] } of points) {
      expect([indexes.length, blobs.length <= 20, doubles.length <= 20]).toEqual([1, true, true]);
      expect(String(indexes[0]).length).toBeLessThanOrEqual(96);
    }
  });

  test("that cannot be written costs the request nothing", async () => {
    const failing: AnalyticsEngineDataset = {
      writeDataPoint: () => {
        throw new Error("over the limit");
      },
    };
    const answer = await answerOf(gatewayWith({ METRICS: failing }, "/sampling", jsonBody("POST", samplingMessage())));
    expect(answer.result).toBeDefined();
  });
});

describe("the doctor", () => {
  const line = async (): Promise<{ readonly state: string; readonly text: string } | undefined> => {
    const answer = await gateway("/admin/doctor", { method: "POST", key: adminToken });
    const { checks } = await answer.json<{ checks: { check: string; state: string; text: string }[] }>();
    return checks.find(({ check }) => check === "OTEL_EXPORTER_OTLP_ENDPOINT");
  };

  test.each<[number, string, string]>([
    [200, "good", "takes spans"],
    [401, "fix", "OTEL_EXPORTER_OTLP_HEADERS"],
    [404, "fix", "/v1/traces"],
    [500, "fix", "500"],
  ])("asks the collector, and says of its status %i: %s", async (status, state, words) => {
    collectorAnswers(() => new Response(null, { status }));
    expect(await line()).toMatchObject({ state, text: expect.stringContaining(words) });
  });

  test.each([
    ["http://collector.example.com", "OTEL_EXPORTER_OTLP_ENDPOINT is not an https address"],
    ["https://user:secret-of-the-collector@collector.example.com", "OTEL_EXPORTER_OTLP_ENDPOINT is not an https address"],
    ["collector", "OTEL_EXPORTER_OTLP_ENDPOINT is not an https address"],
  ])("and health name an address that is not valid, without it: %s", async (OTEL_EXPORTER_OTLP_ENDPOINT, words) => {
    const text = await (await gatewayWith({ OTEL_EXPORTER_OTLP_ENDPOINT }, "/healthz")).text();
    expect(text).toContain(words);
    expect(text).not.toContain("secret-of-the-collector");
  });

  test("and health name headers and a share that are not valid, without their values", async () => {
    const variables = { OTEL_EXPORTER_OTLP_HEADERS: "authorization Bearer-of-the-collector", OTEL_TRACES_SAMPLER_ARG: "2" };
    const text = await (await gatewayWith(variables, "/healthz")).text();
    expect(text).toContain("OTEL_EXPORTER_OTLP_HEADERS is not a list");
    expect(text).toContain("OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1");
    expect(text).not.toContain("Bearer-of-the-collector");
  });
});

describe("a share of 0", () => {
  test("records no trace that begins here, and every one that its caller records", async () => {
    const ask = (message: object): Promise<Response> =>
      gatewayWith({ OTEL_TRACES_SAMPLER_ARG: "0" }, "/sampling", jsonBody("POST", message));
    await answerOf(ask(samplingMessage()));
    await answerOf(ask(samplingMessage({ meta: { traceparent } })));
    await traceOf((root) => root.traceId === traceId);
    expect(exported().filter((span) => span.traceId !== traceId)).toEqual([]);
    expect(model.calls[0]?.traceparent).toBe(null);
  });
});

describe("the relay", () => {
  test("passes the client's trace on to the server, and the server's sampling stands under it", async () => {
    const upstream = scriptUpstream();
    await configureServers({ open: { url: `${upstreamOrigin}/mcp`, protocol: "2026" } });
    upstream.answer = samplesOnce();
    expect((await new StatelessClient().call({}, { meta: { traceparent } })).result).toBeDefined();
    const spans = await traceOf((root) => root.traceId === traceId);
    const root = spans.find(({ kind }) => kind === "server");
    expect(root?.attributes).toMatchObject({ "countersign.endpoint": "relay", "mcp.method.name": "sampling/createMessage" });
    const sent = upstream.calls.flatMap(({ message }) => {
      const meta = message.params?.["_meta"] as Record<string, unknown> | undefined; // as the server got it
      return message.method === "tools/call" ? [meta?.["traceparent"]] : [];
    });
    expect(new Set(sent)).toEqual(new Set([traceparent]));
  });
});
