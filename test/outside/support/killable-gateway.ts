// A gateway that can be killed and started again on the same data and port, with a scripted model
// and real callers.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RecordEvent } from "../../../shared/record/record.ts";
import { type Gateway, freePort, pause, startGateway } from "../../../scripts/local-gateway.ts";
import { type Notice, operatorOf } from "../../../scripts/operator.ts";
import { decideByLink } from "../../../scripts/page-form.ts";
import { startTestGateway } from "./test-gateway.ts";
import { type ProviderServer, startProviderServer } from "../../support/provider-server.ts";

export const adminToken = "admin-token-of-the-tests-0123456789";
export const apiKey = "dev-key-of-the-tests-0123456789abcdef";
export const linkKey = "link-key-of-the-tests-0123456789abcdef";
const variables = { ADMIN_TOKEN: adminToken, LINK_KEY: linkKey, DEV_API_KEY: apiKey };

/** An event as `GET /admin/record` gives it: its time is ISO 8601. */
export type ExportedEvent = Omit<RecordEvent, "at"> & { readonly at: string };

export type Answer = {
  readonly result?: {
    readonly content: { readonly text: string };
    readonly _meta: { readonly "countersign/run": { readonly id: string } };
  };
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: { readonly outcome?: string; readonly reason?: string };
  };
};

/** A caller that holds the line: `answer` is null where its connection was lost. */
export type Caller = { readonly name: string; readonly server: string; readonly answer: Promise<Answer | null> };

export type Killable = {
  readonly url: string;
  readonly port: number;
  /** The folder with what it stores. Only looked into while it does not run. */
  readonly folder: string;
  /** The id of the process group of the gateway. */
  readonly pid: () => number;
  readonly model: ProviderServer;
  readonly start: () => Promise<void>;
  /** As `kill -9` of everything it runs in. */
  readonly kill: () => Promise<void>;
  /** As a deploy or a reboot does. */
  readonly stop: () => Promise<void>;
  readonly ask: (name: string, server: string, prompt?: string) => Caller;
  readonly notices: () => Promise<Notice[]>;
  /** Waits for the open review of this caller's run. */
  readonly review: (gate: Notice["gate"], run?: string) => Promise<Notice>;
  readonly record: () => Promise<{ text: string; events: ExportedEvent[] }>;
  readonly configure: () => Promise<void>;
  /** Replaces a document, whatever its version is. */
  readonly put: (name: "policy" | "routing" | "servers", document: object) => Promise<void>;
  /** Replaces the policy. */
  readonly rule: (policy: object) => Promise<void>;
  /** Everything that /admin/notices lists. */
  readonly listed: () => Promise<Notice[]>;
  readonly close: () => Promise<void>;
};

export { decideByLink, pause };

const rule = (name: string, request: string, response: string, deadlineSeconds = 600): object => ({
  name,
  when: { server: name },
  then: { request, response, deadlineSeconds },
});

const policy = {
  rules: [
    rule("request-gate", "review", "allow"),
    rule("response-gate", "allow", "review"),
    rule("both-gates", "review", "review"),
    // Long enough to see its review and to kill the gateway meanwhile, on a busy machine too.
    rule("soon", "review", "allow", 15),
  ],
  default: { request: "review", response: "review", reviewers: ["everyone"], deadlineSeconds: 600 },
  reviewers: { everyone: [{ name: "Ada" }] },
};

/** `more`: further variables, such as those of channels. */
export async function killableGateway(
  more: Readonly<Record<string, string>> = {},
  { mailToDisk = false }: { mailToDisk?: boolean } = {},
): Promise<Killable> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-durability-"));
  const port = await freePort();
  const model = await startProviderServer({ strict: false });
  let gateway: Gateway | null = null;
  const url = `http://localhost:${port}`;
  const operator = operatorOf(url, adminToken);

  const put: Killable["put"] = async (name, document) => {
    const headers = { Authorization: `Bearer ${adminToken}`, "Content-Type": "application/json" };
    const current = (await (await fetch(`${url}/admin/${name}`, { headers })).json()) as { version: number };
    const answer = await fetch(`${url}/admin/${name}`, {
      method: "PUT",
      body: JSON.stringify(document),
      headers: { ...headers, "If-Match": String(current.version) },
    });
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`);
  };

  const ended = async (how: "gently" | "kill"): Promise<void> => {
    await gateway?.stop(how);
    gateway = null;
  };

  return {
    url,
    port,
    folder,
    pid: () => gateway?.pid ?? 0,
    model,
    start: async () => {
      const given = { port, persistTo: folder, variables: { ...variables, ...more } };
      gateway = await (mailToDisk ? startGateway({ ...given, mailToDisk }) : startTestGateway(given));
    },
    kill: () => ended("kill"),
    stop: () => ended("gently"),
    configure: async () => {
      await put("policy", policy);
      await put("routing", {
        providers: { scripted: { kind: "openai", baseUrl: model.openaiUrl, keyless: true, allowPrivate: true } },
        models: [
          {
            id: "scripted",
            provider: "scripted",
            name: "scripted-1",
            tools: true,
            accepts: ["text", "image", "pdf"],
            contextTokens: 100_000,
            maxOutputTokens: 10_000,
            price: { inputPerMTok: 1, outputPerMTok: 2 },
            scores: { intelligence: 0.5, speed: 0.5, cost: 0.5 },
          },
        ],
      });
    },
    listed: async () => {
      const answer = await fetch(`${url}/admin/notices`, { headers: { Authorization: `Bearer ${adminToken}` } });
      return ((await answer.json()) as { notices: Notice[] }).notices;
    },
    put,
    rule: (document) => put("policy", document),
    ask: (name, server, prompt = `The question of ${name}`) => ({ name, server, answer: ask(url, name, server, prompt) }),
    notices: operator.waiting,
    review: async (gate, run) => {
      for (let tries = 0; tries < 600; tries += 1) {
        const found = (await operator.waiting().catch(() => [])).findLast(
          (each) => each.gate === gate && (run === undefined || each.run === run),
        );
        if (found?.link != null) return found;
        await pause(100);
      }
      throw new Error(`no review was ever open at the ${gate} gate`);
    },
    record: async () => {
      const text = await (await fetch(`${url}/admin/record`, { headers: { Authorization: `Bearer ${adminToken}` } })).text();
      return { text, events: text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as ExportedEvent])) };
    },
    close: async () => {
      await ended("kill");
      await model.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function ask(url: string, name: string, server: string, prompt: string): Promise<Answer | null> {
  try {
    const response = await fetch(`${url}/sampling`, {
      method: "POST",
      headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: name,
        method: "sampling/createMessage",
        params: {
          messages: [{ role: "user", content: { type: "text", text: prompt } }],
          maxTokens: 20,
          _meta: {
            "countersign/session": "sess-durable",
            "countersign/originatingRequest": { id: name, method: "tools/call", name: "wait", server },
          },
        },
      }),
    });
    return (await response.json()) as Answer;
  } catch {
    return null;
  }
}
