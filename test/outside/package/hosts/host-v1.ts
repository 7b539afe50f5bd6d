// A host on `@modelcontextprotocol/sdk` 1.x, as somebody writes it who installed the package. It
// calls the tool "ask" of the server whose command it is given, and prints what comes.

import { createSamplingHandler, type SamplingHandler, type SamplingProgress } from "@countersign/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [command = "", ...args] = process.argv.slice(2);
const onProgress = ({ server, message }: SamplingProgress): void => console.error(`${server}: ${message ?? ""}`);
const sampling: SamplingHandler = createSamplingHandler({
  url: process.env["COUNTERSIGN_URL"] ?? "",
  apiKey: process.env["COUNTERSIGN_API_KEY"] ?? "",
  onProgress,
});
// @ts-expect-error -- without an address there is no gateway
const withoutAddress = (): SamplingHandler => createSamplingHandler({ apiKey: "k" });
// @ts-expect-error -- it declares what it takes: a declaration that is missing would make it `any`
const notAClient = (): unknown => sampling.attach({}, { server: "request-gate" });
if (withoutAddress === undefined || notAClient === undefined) throw new Error("they are never called");

const client = new Client({ name: "host", version: "1.0.0" });
sampling.attach(client, { server: "request-gate" });
await client.connect(new StdioClientTransport({ command, args }));
const call = { name: "ask", arguments: { text: "Name the capital of France." } };
const { content } = await client.callTool(call, undefined, { timeout: 120_000 });
console.log(JSON.stringify(content));
await client.close();
await sampling.flush();
