// A TCP relay in front of a local port, whose connections a test can cut as a network would.

import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export type Cuttable = {
  readonly url: string;
  /** How many connections were ever made through it. */
  readonly made: () => number;
  /** Resets every connection; new ones work. */
  readonly cut: () => void;
  readonly close: () => Promise<void>;
};

export async function startCuttable(port: number): Promise<Cuttable> {
  const open = new Set<Socket>();
  let made = 0;
  const server = createServer((near) => {
    made += 1;
    const far = connect(port, "localhost");
    near.pipe(far).pipe(near);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = (): void => {
    for (const socket of open) socket.resetAndDestroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // It listens on TCP.
    made: () => made,
    cut,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}
