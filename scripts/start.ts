// npm start: runs the gateway on this machine, sends one real sampling request, and prints the link
// to its review.

import { walk } from "../examples/walk.ts";
import { isBuilt } from "./built-workers.ts";
import { claimFolder } from "./data-folder.ts";
import { devVars, fileVariables } from "./dev-vars.ts";
import { exampleRule, serveExample } from "./example-server.ts";
import { type Gateway, mailFolder, pause, startGateway } from "./local-gateway.ts";
import { portError } from "./port-error.ts";
import { type Operator, operatorOf } from "./operator.ts";
import { unreadVariables } from "./unread-variables.ts";
import { stopOnSignals } from "./stopping.ts";
import { consoleUrl } from "../workers/platform/urls.ts";

// What is stored has prompts, links and keys' digests: it is for this user alone.
process.umask(0o077);

const port = Number(process.env["PORT"] || 8787);
const persistTo = process.env["PERSIST_TO"] || ".countersign/state";

const say = (text = ""): void => console.log(text);

let gateway: Gateway | undefined;
const stopping = stopOnSignals(0, (how) => {
  if (how === "gently") say("\nStopping. Pending reviews are kept: npm start shows them again.");
  return gateway?.stop(how);
});

async function main(): Promise<void> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error("PORT must be a whole number from 1 to 65535");
  const error = await portError(port);
  if (error === "in use")
    throw new Error(`port ${port} is in use: stop the program that listens on it, or choose another with PORT=… npm start`);
  if (error === "not allowed") throw new Error(`this user may not listen on port ${port}: choose a port above 1023 with PORT=… npm start`);
  const other = await claimFolder(persistTo, `http://localhost:${port}`);
  if (other !== null)
    throw new Error(
      `the gateway at ${other} is using the data in ${persistTo}: stop it, or choose another folder with PERSIST_TO=… npm start`,
    );
  const vars = devVars();
  if (vars.made) say("Created .dev.vars with random secrets for this machine.");
  if (vars.added.length > 0) say(`Added to .dev.vars, with random values: ${vars.added.join(", ")}.`);
  say(isBuilt() ? "Starting the gateway …" : "Building the gateway, which takes some seconds the first time, and starting it …");
  gateway = await startGateway({
    port,
    persistTo,
    mailToDisk: true,
    variables: vars.has("EMAIL_FROM") ? {} : { EMAIL_FROM: "Countersign <reviews@countersign.example>" },
  });
  const { url, ended } = gateway;
  void ended.then(() => {
    if (stopping.aborted) return;
    say("\nThe gateway stopped unexpectedly. Start it again with npm start.");
    process.exit(1);
  });
  const operator = operatorOf(url, vars.ADMIN_TOKEN);
  const seeded = await operator.seed([exampleRule]);
  if (seeded.length > 0)
    say(
      `Wrote the default ${seeded.join(" and ")} document${seeded.length > 1 ? "s" : ""}: request and reply need approval, and a model whose key is set answers, or the built-in demo model.`,
    );
  say(`\nCountersign is running at ${url}   (data in ${persistTo}; Ctrl-C stops it)`);
  say(`Console: ${consoleUrl(url)}   (sign in with ADMIN_TOKEN from .dev.vars)`);
  const issues = await operator.issues();
  for (const issue of issues) say(`FIX: ${issue}.`);
  for (const { name, meant } of unreadVariables(Object.keys(fileVariables()), await operator.namedVariables()))
    say(`FIX: nothing reads ${name} of .dev.vars${meant === null ? "" : `; ${meant} was probably meant`}.`);
  say(modelsSentence(await operator.models()));
  if (!vars.has("RESEND_API_KEY") && !issues.some((issue) => issue.startsWith("EMAIL_")))
    say(`Emails to reviewers are not sent: they are written to files in ${mailFolder}.`);

  const shown = new Set<string>();
  const pending = await operator.waiting();
  if (pending.length > 0) {
    // Each reviewer has a link of their own.
    const reviews = new Set(pending.map(({ run, gate }) => `${run} ${gate}`)).size;
    say(`\n${reviews === 1 ? "1 earlier review is pending" : `${reviews} earlier reviews are pending`}:`);
    for (const { link, gate, run } of pending) {
      shown.add(link ?? "");
      say(`  the ${gate === "request" ? "request" : "reply"} for ${await operator.subjectOf(run)}: ${link}`);
    }
  }
  if (await serveExample(operator)) say("\nTo see a tool call wait for a review, run this in another terminal: npm run delete-note");
  say("\nAn example MCP server sends a sampling request. The request expires in 10 minutes.");
  const watching = showNewLinks(operator, shown);
  try {
    const result = await walk({ url, apiKey: vars.DEV_API_KEY });
    say(
      `\n${result.isError === true ? "The MCP server received an error. Its tool returned" : "The MCP server received the reply. Its tool returned"}:\n`,
    );
    say(indent(textOf(result)));
    say(
      `\nThe gateway keeps running. To send your own requests, POST them to ${url}/sampling with the API key DEV_API_KEY from .dev.vars.`,
    );
  } catch (error) {
    if (!stopping.aborted) say(`\nThe example request got no reply: ${error instanceof Error ? error.message : String(error)}`);
  }
  await Promise.race([watching, ended]);
}

/** Prints each link as its review opens, for as long as the gateway runs. */
async function showNewLinks(operator: Operator, shown: Set<string>): Promise<void> {
  for (;;) {
    for (const { link, gate, reviewer, run } of await operator.waiting().catch(() => [])) {
      if (link === null || shown.has(link)) continue;
      shown.add(link);
      const subject = await operator.subjectOf(run).catch(() => "a request");
      say(
        gate === "request"
          ? `\n${reviewer} is asked to review the request for ${subject}. Open this link to read, edit, and approve or deny it:`
          : `\n${reviewer} is asked to review the model's reply for ${subject} before it is delivered. Open this link:`,
      );
      say(`\n  ${link}\n`);
    }
    await pause(500);
  }
}

const modelsSentence = (models: readonly string[]): string => {
  const [first, ...others] = models;
  if (first === undefined) return "No model can answer: set a provider's key in .dev.vars.";
  if (first === "demo")
    return "The built-in demo model answers, which is no model: set a provider's key in .dev.vars, such as ANTHROPIC_API_KEY.";
  return `Models: ${first} answers${others.length === 0 ? "" : `; where it fails, ${others.slice(0, 3).join(", ")}`}.`;
};

function textOf(result: object): string {
  const blocks = "content" in result && Array.isArray(result.content) ? (result.content as { type?: string; text?: string }[]) : [];
  return blocks.map((block) => block.text ?? `(${block.type ?? "content"})`).join("\n");
}

const indent = (text: string): string => text.replaceAll(/^/gm, "  ");

main().catch((error: unknown) => {
  if (stopping.aborted) return;
  console.error(`npm start: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
