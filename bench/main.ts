// npm run bench: measures the gateway on workerd itself. `--help` lists the parts and options,
// docs/performance.md has the results. Tables go to stdout, progress to stderr.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { stopOnSignals } from "../scripts/stopping.ts";
import { isShown, withReport, withText } from "./docs.ts";
import { type Options, helpText, readOptions, resultsFolder } from "./options.ts";
import { parts } from "./parts.ts";
import { markdownOf, readReport, reportOf, writeReport } from "./report.ts";
import { type Rig, createRig } from "./rig.ts";
import { summaryOf } from "./summary.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = join(root, "docs/performance.md");

const options = readOptions(process.argv.slice(2), Object.keys(parts));
if (!options.ok) {
  console.error(`npm run bench: ${options.error} \`npm run bench -- --help\` lists the options.`);
  process.exit(2);
}
if (options.value.help) console.log(helpText(parts));
else if (options.value.writeDocs) writeDocs(options.value);
else await measureParts(options.value);

function named({ parts: wanted }: Options): string[] {
  return Object.keys(parts).filter((name) => wanted.length === 0 || wanted.includes(name));
}

async function measureParts(chosen: Options): Promise<void> {
  let rig: Rig | undefined;
  const stopping = stopOnSignals(130, async () => rig?.end());
  const results = join(root, relative(root, chosen.results));
  for (const name of named(chosen)) {
    console.error(`\n# ${name}: ${parts[name]?.about}`);
    rig = createRig();
    try {
      const findings = await parts[name]?.run(rig, chosen.settings);
      if (findings === undefined) continue;
      const report = reportOf(name, chosen.settings, findings);
      writeReport(results, report, findings.pictures ?? []);
      console.log(`## ${name}\n\n${markdownOf(report, relative(process.cwd(), results))}\n`);
      console.error(`Written: ${relative(process.cwd(), join(results, `${name}.json`))}`);
    } catch (error) {
      // The signal's own handler ends the process, once everything is stopped.
      if (stopping.aborted) return;
      process.exitCode = 1;
      console.error(`npm run bench: the part ${name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    } finally {
      await rig.end();
    }
  }
  // A server that hangs must not keep the command alive.
  process.exit();
}

/** A part that was never measured keeps what the page has. */
function writeDocs(chosen: Options): void {
  const folder = join(root, resultsFolder);
  const measured = Object.keys(parts).filter((name) => existsSync(join(folder, `${name}.json`)));
  const missing = chosen.parts.find((name) => !measured.includes(name));
  if (missing !== undefined) {
    console.error(`npm run bench: ${resultsFolder}/${missing}.json is missing. \`npm run bench -- ${missing}\` measures it.`);
    process.exit(1);
  }
  let text = readFileSync(page, "utf8");
  for (const name of named(chosen).filter((each) => measured.includes(each) && isShown(text, each)))
    text = withReport(text, readReport(folder, name), `../${resultsFolder}`);
  text = withText(text, "summary", summaryOf(measured.map((name) => readReport(folder, name))));
  writeFileSync(page, text);
  console.error(`docs/performance.md has the figures of ${resultsFolder}/.`);
}
