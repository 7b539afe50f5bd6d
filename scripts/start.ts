// npm start: the gateway on this machine, and one real sampling request as far as the person who decides.

import { walk } from "../examples/walk.ts";
import { claimFolder } from "./data-folder.ts";
import { devVars } from "./dev-vars.ts";
import { type Gateway, mailFolder, pause, portProblem, startGateway } from "./local-gateway.ts";
import { type Operator, operatorOf } from "./operator.ts";
import { stopOnSignals } from "./stopping.ts";

const port = Number(process.env["PORT"] || 8787);
const persistTo = process.env["PERSIST_TO"] || ".countersign/state";

const say = (text = ""): void => console.log(text);

let gateway: Gateway | undefined;
const stopping = stopOnSignals(0, (how) => {
  if (how === "gently") say("\nStopping. What waits is kept: npm start finds it again.");
  return gateway?.stop(how);
});

async function main(): Promise<void> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error("PORT must be a whole number from 1 to 65535");
  const problem = await portProblem(port);
  if (problem === "taken") throw new Error(`port ${port} is taken: stop what listens there, or choose another with PORT=… npm start`);
  if (problem === "not allowed") throw new Error(`this user may not listen on port ${port}: choose one above 1023`);
  const other = await claimFolder(persistTo, `http://localhost:${port}`);
  if (other !== null)
    throw new Error(`the gateway at ${other} uses the data in ${persistTo}: stop it, or choose another folder with PERSIST_TO=… npm start`);
  const vars = devVars();
  if (vars.made) say("Made .dev.vars with random secrets for this machine.");
  say("Starting the gateway …");
  gateway = await startGateway({
    port,
    persistTo,
    mailToDisk: true,
    variables: vars.has("EMAIL_FROM") ? {} : { EMAIL_FROM: "Countersign <reviews@countersign.example>" },
  });
  const { url, ended } = gateway;
  void ended.then(() => {
    if (stopping.aborted) return;
    say("\nThe gateway ended by itself; start it again with npm start.");
    process.exit(1);
  });
  const operator = operatorOf(url, vars.ADMIN_TOKEN);
  const seeded = await operator.seed();
  if (seeded.length > 0)
    say(`Wrote the default ${seeded.join(" and ")} document${seeded.length > 1 ? "s" : ""}: both gates closed, the demo model answers.`);
  say(`\nCountersign is at ${url}   (data in ${persistTo}; Ctrl-C stops it)`);
  const problems = await operator.problems();
  for (const problem of problems) say(`To mend: ${problem}.`);
  if (!vars.has("RESEND_API_KEY") && !problems.some((problem) => problem.startsWith("EMAIL_")))
    say(`Mails to reviewers with an address are sent nowhere: they are files in ${mailFolder}.`);

  const told = new Set<string>();
  const pending = await operator.waiting();
  if (pending.length > 0) {
    // Each reviewer has a link of their own.
    const reviews = new Set(pending.map(({ run, gate }) => `${run} ${gate}`)).size;
    say(`\n${reviews === 1 ? "One review from before still waits" : `${reviews} reviews from before still wait`}:`);
    for (const { link, gate } of pending) {
      told.add(link ?? "");
      say(`  the ${gate === "request" ? "request" : "reply"}: ${link}`);
    }
  }
  say("\nAn MCP server now asks for a model's reply. It has ten minutes' patience, and so have you.");
  const watching = tellNewLinks(operator, told);
  try {
    const result = await walk({ url, apiKey: vars.DEV_API_KEY });
    say(
      `\n${result.isError === true ? "The server was told no. Its tool answered" : "The server received the reply. Its tool answered"}:\n`,
    );
    say(indent(textOf(result)));
    say(`\nThe gateway goes on running. Send it your own requests: POST ${url}/sampling with the key DEV_API_KEY in .dev.vars.`);
  } catch (error) {
    if (!stopping.aborted) say(`\nThe walk ended without a reply: ${error instanceof Error ? error.message : String(error)}`);
  }
  await Promise.race([watching, ended]);
}

/** Prints each link as its review opens, for as long as the gateway runs. */
async function tellNewLinks(operator: Operator, told: Set<string>): Promise<void> {
  for (;;) {
    for (const { link, gate, reviewer } of await operator.waiting().catch(() => [])) {
      if (link === null || told.has(link)) continue;
      told.add(link);
      say(
        gate === "request"
          ? `\nA request waits for ${reviewer}. Open this, read it, change it if you like, and approve or deny it:`
          : `\nThe model has answered. Look at the reply before it is delivered:`,
      );
      say(`\n  ${link}\n`);
    }
    await pause(500);
  }
}

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
