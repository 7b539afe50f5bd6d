// A load generator on raw sockets: each connection sends one request after another and reads each answer whole.

import { connect } from "node:net";

export type Load = {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  readonly request: (connection: number, count: number) => Buffer;
};
export type Measured = {
  readonly requests: number;
  readonly failed: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
};

/** Runs a bounded load and stops by itself. An answer other than 200, or with a JSON-RPC error in it, counts as failed. */
export async function measure({ port, connections, seconds, request }: Load): Promise<Measured> {
  const times: number[] = [];
  let failed = 0;
  const started = performance.now();
  const end = started + seconds * 1000;
  await Promise.all(
    Array.from({ length: connections }, async (_, connection) => {
      const exchange = await open(port);
      for (let count = 0; performance.now() < end; count += 1) {
        const before = performance.now();
        const answer = await exchange.send(request(connection, count));
        times.push(performance.now() - before);
        if (!answer.startsWith("HTTP/1.1 200") || answer.includes('"error"')) failed += 1;
      }
      exchange.close();
    }),
  );
  const elapsed = (performance.now() - started) / 1000;
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  return { requests: times.length, failed, perSecond: times.length / elapsed, p50Ms: at(0.5), p99Ms: at(0.99) };
}

type Exchange = { readonly send: (request: Buffer) => Promise<string>; readonly close: () => void };

function open(port: number): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    let answered: ((answer: string) => void) | undefined;
    let failed: ((error: Error) => void) | undefined;
    let received = "";
    const socket = connect(port, "127.0.0.1", () =>
      resolve({
        send: (request) =>
          new Promise((done, fail) => {
            answered = done;
            failed = fail;
            received = "";
            socket.write(request);
          }),
        close: () => socket.destroy(),
      }),
    );
    socket.setNoDelay(true);
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => {
      received += chunk;
      if (isWhole(received)) answered?.(received);
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
  return text.endsWith("0\r\n\r\n");
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
