// Where spans are exported to, by the variables that OpenTelemetry's specification names ("OTLP
// Exporter Configuration").

import { readBaseUrl } from "../../shared/address.ts";
import { isLoopbackHost } from "../../shared/this-machine.ts";
import type { Env } from "./env.ts";
import type { SettingIssue } from "./settings.ts";

export type OtlpSettings = {
  /** The collector's address for traces. */
  readonly tracesUrl: string;
  /** Sent with each export: the collector's credential is among them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** Of the traces that begin here, from 0 to 1. */
  readonly share: number;
};

type OtlpEnv = Pick<Env, "OTEL_EXPORTER_OTLP_ENDPOINT" | "OTEL_EXPORTER_OTLP_HEADERS" | "OTEL_SERVICE_NAME" | "OTEL_TRACES_SAMPLER_ARG">;

/** Undefined where spans are not exported; an issue for each variable that is wrong. */
export function parseOtlp(env: OtlpEnv, issues: SettingIssue[]): OtlpSettings | undefined {
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT?.trim() ?? "";
  if (endpoint === "") return undefined;
  const url = readBaseUrl(endpoint);
  if (
    url === undefined ||
    url.extras ||
    !URL.canParse(endpoint) ||
    (url.scheme === "http" && !isLoopbackHost(new URL(endpoint).hostname))
  ) {
    issues.push({ variable: "OTEL_EXPORTER_OTLP_ENDPOINT", says: { key: "otlpAddress" } });
    return undefined;
  }
  const headers = parseHeaders(env.OTEL_EXPORTER_OTLP_HEADERS ?? "");
  if (headers === undefined) issues.push({ variable: "OTEL_EXPORTER_OTLP_HEADERS", says: { key: "otlpHeaders" } });
  return {
    tracesUrl: `${endpoint.replace(/\/+$/, "")}/v1/traces`,
    headers: headers ?? {},
    serviceName: env.OTEL_SERVICE_NAME?.trim() || "countersign",
    share: parseShare(env.OTEL_TRACES_SAMPLER_ARG, issues),
  };
}

const mostHeaders = 20;

/** Members of W3C Baggage: names are tokens of HTTP, values are percent-encoded. */
function parseHeaders(text: string): Record<string, string> | undefined {
  const members = text.split(",").flatMap((each) => (each.trim() === "" ? [] : [each.trim()]));
  const headers: Record<string, string> = {};
  for (const each of members) {
    const [, name = "", encoded = ""] = /^([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*)$/.exec(each) ?? [];
    const value = decoded(encoded);
    if (name === "" || value === undefined || !/^[\t\x20-\x7e]*$/.test(value)) return undefined;
    headers[name.toLowerCase()] = value;
  }
  return members.length > mostHeaders ? undefined : headers;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function parseShare(text: string | undefined, issues: SettingIssue[]): number {
  if (text === undefined || text === "") return 1;
  const share = Number(text);
  if (Number.isFinite(share) && share >= 0 && share <= 1) return share;
  const name = "OTEL_TRACES_SAMPLER_ARG";
  issues.push({ variable: name, says: { key: "outOfRange", values: { variable: name, least: "0", most: "1", standard: "1" } } });
  return 1;
}
