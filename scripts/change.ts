// Changes a part of a document of a gateway's configuration, over the version that is there.
//
//   npm run change -- policy '{ "rules": [{ "name": "deploys", "when": { … }, "then": { … } }] }'
//   npm run change -- servers '{ "servers": { "notes": { "url": "https://…" } } }' --url https://gateway.example.com
//
// Exit codes: 0 done, or there as it is; 1 the gateway refused it, or somebody else changed the
// document in this moment; 2 the gateway could not be asked, or the arguments are wrong.

import { isDeepStrictEqual, parseArgs } from "node:util";
import { Unasked } from "../client/subcommand.ts";
import { isObject, type Members, parseJson } from "../shared/json/values.ts";
import { document, type DocumentName, documentNames, read, write } from "./documents.ts";
import { mergeDocument } from "./merge-document.ts";
import { targetOf } from "./target.ts";

const usage = `usage: npm run change -- ${documentNames.join("|")} '{ JSON }' [--url ADDRESS]`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { url: { type: "string" }, help: { type: "boolean" } },
    allowPositionals: true,
    strict: true,
  });
  if (values.help === true) {
    console.log(usage);
    return 0;
  }
  const [given, text = ""] = positionals;
  const name = documentNames.find((each) => each === given);
  const change = parseJson(text);
  if (name === undefined || positionals.length !== 2) throw new Unasked(usage);
  if (!isObject(change)) throw new Unasked("the change must be a JSON object in single quotes");
  return changeDocument(name, change, values.url);
}

async function changeDocument(name: DocumentName, change: Members, url: string | undefined): Promise<number> {
  const target = await targetOf(url);
  const old = await read(target, name, document);
  const next = mergeDocument(old, change);
  if (!isObject(next) || isDeepStrictEqual(next, old)) {
    console.log(`Version ${old.version} of the ${name} document has this already.`);
    return 0;
  }
  const answer = await write(target, name, old, next);
  if (answer.ok) {
    console.log(`The ${name} document is now version ${old.version + 1}.`);
    return 0;
  }
  const why = (await answer.text()).slice(0, 2_000);
  console.error(
    answer.status === 412
      ? "npm run change: somebody else changed the document in this moment. Run the command again."
      : `npm run change: the gateway refused it: ${why}`,
  );
  return 1;
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(`npm run change: ${error instanceof Error ? error.message : String(error)}`);
  return 2;
});
