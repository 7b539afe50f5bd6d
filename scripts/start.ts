// npm start: the gateway on this machine, and one real sampling request as far as the person who decides.

import { walk } from "../examples/walk.ts";
import { devVars } from "./dev-vars.ts";
import { type Gateway, isFree, pause, startGateway } from "./gateway.ts";
import { type Operator, operatorOf } from "./operator.ts";

const port = Number(process.env["PORT"] ?? 8787);
const persistTo = process.env["PERSIST_TO"] ?? ".countersign/state";

const say = (text = ""): void => console.log(text);

async function main(): Promise<void> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error("PORT must be a whole number from 1 to 65535");
  if (!(await isFree(port))) throw new Error(`port ${port} is taken: stop what listens there, or choose another with PORT=8788 npm start`);
  const vars = devVars();
  if (vars.made) say("Made .dev.vars with random secrets for this machine.");
  say("Starting the gateway …");
  const gateway = await startGateway({ port, persistTo });
  stopWith(gateway);
  const operator = operatorOf(gateway.url, vars.ADMIN_TOKEN);
  const seeded = await operator.seed();
  if (seeded.length > 0)
    say(`Wrote the default ${seeded.join(" and ")} document${seeded.length > 1 ? "s" : ""}: both gates closed, the demo model answers.`);
  say(`\nCountersign is at ${gateway.url}   (data in ${persistTo}; Ctrl-C stops it)`);

  const told = new Set<string>();
  const pending = await operator.waiting();
  if (pending.length > 0) {
    say(`\n${pending.length === 1 ? "One review from before still waits" : `${pending.length} reviews from before still wait`}:`);
    for (const { link, gate } of pending) {
      told.add(link ?? "");
      say(`  the ${gate === "request" ? "request" : "reply"}: ${link}`);
    }
  }
  say("\nAn MCP server now asks for a model's reply. It has ten minutes' patience, and so have you.");
  const watching = tellNewLinks(operator, told);
  try {
    const result = await walk({ url: gateway.url, apiKey: vars.DEV_API_KEY });
    say(
      `\n${result.isError === true ? "The server was told no. Its tool answered" : "The server received the reply. Its tool answered"}:\n`,
    );
    say(indent(textOf(result)));
    say(`\nThe gateway goes on running. Send it your own requests: POST ${gateway.url}/sampling with the key DEV_API_KEY in .dev.vars.`);
  } catch (error) {
    say(`\nThe walk ended without a reply: ${error instanceof Error ? error.message : String(error)}`);
  }
  await Promise.race([watching, gateway.ended]);
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

function stopWith(gateway: Gateway): void {
  let stopping = false;
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      if (stopping) return;
      stopping = true;
      say("\nStopping. What waits is kept: npm start finds it again.");
      void gateway.stop().then(() => process.exit(0));
    });
  }
  void gateway.ended.then(() => {
    if (stopping) return;
    say("\nThe gateway ended by itself; start it again with npm start.");
    process.exit(1);
  });
}

function textOf(result: object): string {
  const blocks = "content" in result && Array.isArray(result.content) ? (result.content as { type?: string; text?: string }[]) : [];
  return blocks.map((block) => block.text ?? `(${block.type ?? "content"})`).join("\n");
}

const indent = (text: string): string => text.replaceAll(/^/gm, "  ");

main().catch((error: unknown) => {
  console.error(`npm start: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
