// A collector of traces, scripted, at the address that this project's gateway exports to. What it
// got is searched for what no span may have.

import { afterAll, afterEach, beforeEach, expect } from "vitest";
import { exportsUnderWay } from "../../../workers/telemetry/otlp-export.ts";
import { type ReadSpan, readOtlpTraces } from "../../support/otlp-traces.ts";
import { devKey, adminToken, env, eventually } from "../support/gateway.ts";
import { promptMarker, reasonMarker, replyMarker } from "../support/logs.ts";
import { answerAt } from "../support/provider.ts";

export const collectorUrl = "https://collector.example.com/otlp/v1/traces";

/** Every body that any test of this file exported. */
const bodies: string[] = [];
const spans: ReadSpan[] = [];
let respond: () => Response = () => Response.json({});

beforeEach(() => {
  spans.length = 0;
  respond = () => Response.json({});
  answerAt("https://collector.example.com", async (request) => {
    expect(request.url).toBe(collectorUrl);
    expect(request.method).toBe("POST");
    expect(request.headers.get("Content-Type")).toBe("application/json");
    expect(request.headers.get("Authorization")).toBe("Bearer collector-token-of-the-tests");
    const body = await request.text();
    bodies.push(body);
    const response = respond();
    if (response.ok) spans.push(...readOtlpTraces(JSON.parse(body)).spans);
    return response;
  });
});

/** An export that goes on after its test would find no collector. */
afterEach(() => eventually("the end of the exports", async () => exportsUnderWay() === 0));

/** What the collector answers from now on, in this test. */
export const collectorAnswers = (answer: () => Response): void => {
  respond = answer;
};

/** No prompt, no reply, no reviewer's name or word, no key and no token is ever exported. */
afterAll(() => {
  const secrets = [promptMarker, replyMarker, reasonMarker, devKey, adminToken, env.LINK_KEY ?? "", "Ada", "sess-1", "France"];
  expect(bodies.length).toBeGreaterThan(0);
  expect(bodies.filter((body) => secrets.some((secret) => body.includes(secret)))).toEqual([]);
});

export const exported = (): readonly ReadSpan[] => spans;
export const exports = (): readonly string[] => bodies;

/** The spans of one trace, by name, once its root span is there. */
export function traceOf(isIt: (root: ReadSpan) => boolean): Promise<readonly ReadSpan[]> {
  return eventually("a trace", async () => {
    const root = spans.find((span) => span.kind === "server" && isIt(span));
    return root === undefined ? null : distinct(spans.filter(({ traceId }) => traceId === root.traceId));
  });
}

/** What was exported twice is one span. */
function distinct(all: readonly ReadSpan[]): ReadSpan[] {
  const byId = new Map<string, ReadSpan>();
  for (const span of all) {
    const before = byId.get(span.spanId);
    if (before !== undefined) expect(span).toEqual(before);
    byId.set(span.spanId, span);
  }
  return [...byId.values()];
}

export function named(all: readonly ReadSpan[], name: string): ReadSpan {
  const [found, ...others] = all.filter((span) => span.name === name);
  if (found === undefined || others.length > 0)
    throw new Error(`${others.length + 1} spans ${name} of ${all.map((each) => each.name).join(", ")}`);
  return found;
}
