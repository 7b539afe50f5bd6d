// The least that a decision can cost: a caller waits over one hibernating WebSocket to an object,
// and a press is one call to the object, which sends one message.

import { DurableObject } from "cloudflare:workers";

type Env = { readonly HOP: DurableObjectNamespace<HopObject> };

export class HopObject extends DurableObject {
  override async fetch(): Promise<Response> {
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  waiting(): boolean {
    return this.ctx.getWebSockets().length > 0;
  }

  press(): void {
    for (const socket of this.ctx.getWebSockets()) socket.send("decided");
  }

  override webSocketClose(): void {
    // The caller has its answer.
  }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const [, act, name = ""] = new URL(request.url).pathname.split("/");
    const object = env.HOP.getByName(name);
    if (act === "press") {
      await object.press();
      return new Response(null, { status: 303 });
    }
    if (act === "waiting") return Response.json(await object.waiting());
    const { webSocket } = await object.fetch("https://hop/", { headers: { Upgrade: "websocket" } });
    if (webSocket === null) return new Response(null, { status: 500 });
    webSocket.accept();
    return new Promise((resolve) => {
      webSocket.addEventListener("message", ({ data }) => {
        webSocket.close();
        resolve(new Response(String(data)));
      });
    });
  },
};
