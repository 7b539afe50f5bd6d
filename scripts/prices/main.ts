// Compares the prices in a gateway's routing table with a price list that others maintain, and
// prints what changed.
//
//   npm run prices                 (the gateway that npm start runs)
//   npm run prices -- --built-in   (the table of a new gateway; asks none)
//   npm run prices -- --from prices.json --write routing.json
//                                  (another list, and the table with the list's prices)
//
// Exit codes: 0 nothing changed; 1 a price changed; 2 the table or the list could not be read.

import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { defaultRoutingTable } from "../../shared/routing/default-table.ts";
import { type RoutingTable, parseRoutingTable } from "../../shared/routing/table.ts";
import { Unasked } from "../../client/subcommand.ts";
import { targetOf } from "../target.ts";
import { type Compared, type PriceList, comparePrices, priceLines, priceListSchema } from "./compare.ts";

const listAddress = "https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json";
const answerMs = 30_000;
const usage = `usage: npm run prices [-- --built-in | --url https://gateway.example.com] [--from file or address] [--write file]`;

async function listFrom(from: string): Promise<{ readonly list: PriceList; readonly date: string | null }> {
  const isAddress = /^https?:\/\//.test(from);
  try {
    const response = isAddress ? await fetch(from, { signal: AbortSignal.timeout(answerMs) }) : null;
    if (response !== null && !response.ok) throw new Error(`it answered ${response.status}`);
    const text = response === null ? readFileSync(from, "utf8") : await response.text();
    const parsed = priceListSchema.safeParse(JSON.parse(text));
    if (!parsed.success) throw new Error("it is not a list of models with prices for each token");
    return { list: parsed.data, date: response?.headers.get("Last-Modified") ?? null };
  } catch (error) {
    throw new Unasked(
      `the price list at ${from} could not be read: ${error instanceof Error ? error.message : "unknown error"}. Name a copy of it with --from`,
    );
  }
}

async function tableOf(url: string | undefined, builtIn: boolean): Promise<RoutingTable> {
  if (builtIn) return defaultRoutingTable();
  const target = await targetOf(url);
  const response = await fetch(`${target.url}/admin/routing`, {
    headers: { Authorization: `Bearer ${target.adminToken}` },
    redirect: "manual",
    signal: AbortSignal.timeout(answerMs),
  });
  if (!response.ok)
    throw new Unasked(`GET ${target.url}/admin/routing was answered with ${response.status}: check the address and ADMIN_TOKEN`);
  const parsed = parseRoutingTable(await response.json());
  if (!parsed.ok) throw new Unasked("this version of Countersign cannot read the gateway's routing table");
  return parsed.value;
}

/** The table with the list's prices where they differ. */
const updated = (table: RoutingTable, compared: readonly Compared[]): RoutingTable => ({
  ...table,
  models: table.models.map((model) => {
    const { theirs } = compared.find((each) => each.model === model.id && each.state === "changed") ?? { theirs: null };
    return theirs === null ? model : { ...model, price: theirs };
  }),
});

/** Prints to `print`; the exit code. */
export async function prices(args: readonly string[], print: (line: string) => void): Promise<number> {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        url: { type: "string" },
        "built-in": { type: "boolean", default: false },
        from: { type: "string", default: listAddress },
        write: { type: "string" },
      },
    });
    const { list, date } = await listFrom(values.from);
    const table = await tableOf(values.url, values["built-in"]);
    const compared = comparePrices(table.models, list);
    print(`Dollars for a million tokens, input / output. The list: ${values.from}${date === null ? "" : `, of ${date}`}`);
    for (const line of priceLines(compared)) print(line);
    const changed = compared.filter(({ state }) => state === "changed").length;
    if (values.write !== undefined) {
      writeFileSync(values.write, `${JSON.stringify(updated(table, compared), null, 2)}\n`);
      print(`Written: ${values.write}. Read it, then write it with PUT /admin/routing.`);
    }
    print(
      changed === 0
        ? "No price changed."
        : `${changed} ${changed === 1 ? "price" : "prices"} changed. Compare them with the provider's own page before you write them.`,
    );
    return changed === 0 ? 0 : 1;
  } catch (error) {
    if (error instanceof Unasked) print(error.message);
    else if (error instanceof TypeError && "code" in error) print(`${error.message}\n${usage}`);
    else throw error;
    return 2;
  }
}

// oxlint-disable-next-line no-console -- a command prints
if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.exitCode = await prices(process.argv.slice(2), console.log);
