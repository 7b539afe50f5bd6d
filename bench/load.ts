// A load generator on raw sockets: each connection sends one request after another and reads each
// answer whole.

import { connect } from "node:net";
import { quantile } from "./report.ts";

export type Load = {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  readonly request: (connection: number, count: number) => Buffer;
  /**
   * A text that the first token of a streamed answer has: the times are then those until it came.
   */
  readonly firstToken?: string;
};
export type Measured = {
  readonly requests: number;
  readonly failed: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
};

/**
 * Runs a bounded load and stops by itself. An answer other than 200, or with an error in it, counts
 * as failed.
 */
export async function measure({ port, connections, seconds, request, firstToken }: Load): Promise<Measured> {
  const times: number[] = [];
  let failed = 0;
  const started = performance.now();
  const end = started + seconds * 1000;
  await Promise.all(
    Array.from({ length: connections }, async (_, connection) => {
      const exchange = await open(port, firstToken);
      // Each connection sends one request at least, however short the time is.
      for (let count = 0; count === 0 || performance.now() < end; count += 1) {
        const payload = request(connection, count);
        const before = performance.now();
        const answer = await exchange.send(payload);
        times.push((firstToken === undefined ? performance.now() : answer.firstTokenAt) - before);
        if (isFailed(answer.text) || (firstToken !== undefined && Number.isNaN(answer.firstTokenAt))) failed += 1;
      }
      exchange.close();
    }),
  );
  const elapsed = (performance.now() - started) / 1000;
  return {
    requests: times.length,
    failed,
    perSecond: times.length / elapsed,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
  };
}

export const isFailed = (answer: string): boolean =>
  !answer.startsWith("HTTP/1.1 200") || answer.includes('"error"') || answer.includes("event: error");

type Answer = { readonly text: string; readonly firstTokenAt: number };
export type Exchange = { readonly send: (request: Buffer) => Promise<Answer>; readonly close: () => void };

/** A server that is silent for longer ends the measurement. */
const answerMs = 60_000;

/** One connection, for one request after another. */
export function open(port: number, firstToken?: string): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    let answered: ((answer: Answer) => void) | undefined;
    let failed: ((error: Error) => void) | undefined;
    let received = "";
    let firstTokenAt = Number.NaN;
    const socket = connect(port, "127.0.0.1", () =>
      resolve({
        send: (request) =>
          new Promise((done, fail) => {
            answered = done;
            failed = fail;
            received = "";
            firstTokenAt = Number.NaN;
            socket.write(request);
          }),
        close: () => socket.destroy(),
      }),
    );
    socket.setNoDelay(true);
    socket.setTimeout(answerMs, () => socket.destroy(new Error(`no answer on port ${port} within ${answerMs / 1000} s`)));
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => {
      received += chunk;
      if (firstToken !== undefined && Number.isNaN(firstTokenAt) && received.includes(firstToken)) firstTokenAt = performance.now();
      if (isWhole(received)) answered?.({ text: received, firstTokenAt });
    });
    socket.on("error", (error) => (failed ?? reject)(error));
    socket.on("close", () => failed?.(new Error("the connection was closed")));
  });
}

function isWhole(text: string): boolean {
  const head = text.indexOf("\r\n\r\n");
  if (head < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, head))?.[1];
  if (length !== undefined) return text.length >= head + 4 + Number(length);
  return text.endsWith("\r\n0\r\n\r\n");
}

/** A POST of JSON as it goes over the wire. */
export function post(path: string, body: object, headers: Record<string, string> = {}): Buffer {
  const payload = JSON.stringify(body);
  const lines = Object.entries({
    Host: "127.0.0.1",
    "Content-Type": "application/json",
    Accept: "application/json",
    ...headers,
    "Content-Length": String(Buffer.byteLength(payload)),
  });
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${payload}`);
}

/** A GET as it goes over the wire. */
export const get = (path: string, headers: Record<string, string>): Buffer =>
  Buffer.from(
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("")}\r\n`,
  );
