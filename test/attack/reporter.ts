// Ends `npm run attack` with what each area came to, on standard output. `--outputFile FILE` writes
// the result as JSON too, and WRITE_DOCS=1 puts its summary into docs/security.md.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Reporter, TestCase, TestModule, Vitest } from "vitest/node";
import { type Kills, type Report, type Tried, reportOf, summaryOf, tableOf } from "./report.ts";

declare module "vitest" {
  interface TaskMeta {
    attack?: Omit<Tried, "isHeld">;
    kills?: Kills;
  }
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = join(root, "docs/security.md");

export default class AttackReporter implements Reporter {
  #file: string | undefined;
  #commit = "";

  onInit({ config: { outputFile } }: Vitest): void {
    this.#file = typeof outputFile === "string" ? outputFile : undefined;
    this.#commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    const given = { commit: this.#commit, date: new Date().toISOString().slice(0, 10), failures: tests.flatMap(failureOf) };
    const tried = tests.flatMap((each) => {
      const { attack } = each.meta();
      return attack === undefined || each.result().state === "skipped" ? [] : [{ ...attack, isHeld: each.ok() }];
    });
    const report = reportOf(given, tried, tests.find((each) => each.meta().kills !== undefined)?.meta().kills);
    console.log(`\n${tableOf(report)}\n\n${summaryOf(report)}`);
    if (report.failures.length > 0) console.log(`\n${report.failures.map((failure) => `- ${failure}`).join("\n")}`);
    if (this.#file !== undefined) writeFileSync(this.#file, `${JSON.stringify(report, null, 2)}\n`);
    if (process.env["WRITE_DOCS"] === "1") writeDocs(report);
  }
}

/** An AssertionError says that it got through; any other error, that it could not be tried. */
const failureOf = (each: TestCase): string[] =>
  (each.result().errors ?? []).map(({ name, message }) => `${each.fullName.replace(" > ", " ")}: ${name}: ${message.slice(0, 600)}`);

/** Puts the summary between its marks. */
function writeDocs(report: Report): void {
  const text = readFileSync(page, "utf8");
  const marked = /(<!-- attack -->\n)[\s\S]*?(\n<!-- end of attack -->)/;
  if (!marked.test(text)) throw new Error("docs/security.md has no marks for the attacks");
  writeFileSync(
    page,
    text.replace(marked, (_, before: string, after: string) => `${before}\n${summaryOf(report)}\n${after}`),
  );
}
