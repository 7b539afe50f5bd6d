// Requests that `fetch` would not send: any Host, any path, headers that a browser keeps to itself,
// and bytes that are not HTTP.

import { request } from "node:http";
import { connect } from "node:net";

export type RawAnswer = { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly text: string };

export type RawRequest = {
  readonly method?: string;
  /** As it stands in the request line. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
};

/**
 * One request to the gateway at this port. Rejects where the connection is closed without an
 * answer.
 */
export function rawRequest(port: number, { method = "GET", path, headers = {}, body }: RawRequest): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: "localhost", port, method, path, headers, agent: false, setHost: headers["Host"] === undefined },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, String(value)])),
            text: Buffer.concat(chunks).toString("utf8"),
          }),
        );
      },
    );
    asked.on("error", reject);
    asked.end(body);
  });
}

/**
 * Sends these bytes, and gives what came back until the other side closed or said nothing more for
 * a moment.
 */
export function rawBytes(port: number, bytes: string | Buffer, quietMs = 700): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect({ host: "localhost", port }, () => socket.write(bytes));
    const end = (): void => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(quietMs, end);
    socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
    socket.on("error", end);
    socket.on("close", end);
  });
}
