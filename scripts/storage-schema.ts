// Writes what docs/storage-schema.md says of each object, below its mark, from the schemas in
// workers/objects/schema/ and their comments:
//
//   node scripts/storage-schema.ts
//
// The comment at the top of a schema's file is on the object, the one before a table on the table,
// and one beside a column on the column. Of tables with content the document has the first
// paragraph of the comment without the names of texts, and the columns that are content. A test
// compares the document with what this makes.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const pathOf = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));
const folder = "workers/objects/schema/";
const read = (name: string): string => readFileSync(pathOf(name), "utf8").replaceAll("\r\n", "\n");

export const documentPath = pathOf("docs/storage-schema.md");
const mark = `<!-- From here on, change ${folder} and run: node scripts/storage-schema.ts -->\n`;

const tableStart = /^ *(?:table|rowidTable)\("(\w+)", \{$/;
const longTexts = /^ *longTexts\("(\w+)"\),$/;
const column = /^ *(\w+): "[^"]*",(?: \/\/ (.*))?$/;

const isOfContent = (meaning: string): boolean => /(?<!without )\bcontent\b/.test(meaning);

const firstParagraph = (comment: readonly string[]): string => (comment.join("\n").split("\n\n")[0] ?? "").replaceAll("\n", " ");

/** A line for each table with content, with the columns that are content. */
function tablesWithContentIn(lines: readonly string[]): string[] {
  const written: string[] = [];
  let comment: string[] = [];
  let open: { readonly table: string; readonly about: string; readonly content: string[] } | null = null;
  for (const line of lines) {
    const [, name] = tableStart.exec(line) ?? [];
    const [, texts] = longTexts.exec(line) ?? [];
    const [, cell, meaning = ""] = (open !== null && column.exec(line)) || [];
    if (texts !== undefined) written.push(`- \`${texts}\`, **long texts**: ${firstParagraph(comment).split(" Names: ")[0]}`);
    if (name !== undefined) open = { table: `\`${name}\``, about: firstParagraph(comment), content: [] };
    if (cell !== undefined && isOfContent(meaning)) open?.content.push(`\`${cell}\`: ${meaning}.`);
    if (open !== null && line.trim() === "}),") {
      const { table, about, content } = open;
      if (content.length > 0) written.push(`- ${table}: ${[about, ...content].filter(Boolean).join(" ")}`);
      open = null;
    }
    const [, about] = /^ *\/\/ ?(.*)$/.exec(line) ?? [];
    comment = about === undefined ? [] : [...comment, about];
  }
  return written;
}

/** What the objects are, and the sentences on content. The rest is in the file. */
const mainSentences = (about: string): string =>
  about
    .replaceAll(/\s+/g, " ")
    .split(/(?<=[.*]) (?=[A-Z`*])/)
    .filter(
      (sentence, index) =>
        index === 0 || /content|key-value|emptied|sealed|secrets|prompt|RECORD_DAYS|RETENTION_HOURS|usable|A \w+Object has/.test(sentence),
    )
    .join(" ")
    .replaceAll(/(?=.{120})(.{1,119}) /g, "$1\n");

/** An object's part. Classes whose schemas are in one file have one together. */
function partOf(classes: readonly string[], file: string): string[] {
  const [head = ""] = /^(?:\/\/.*\n)+/.exec(read(folder + file)) ?? [];
  const about = mainSentences(head.trimEnd().replaceAll(/^\/\/ ?/gm, ""));
  const lines = read(folder + file)
    .slice(head.length)
    .split("\n");
  const content = tablesWithContentIn(lines);
  return [`## ${classes.join(", ")}`, "", `${about}\n([tables](../${folder}${file}))`, "", ...content, ...(content.length > 0 ? [""] : [])];
}

export function documentNow(): string {
  const list = read(`${folder}schemas.ts`);
  const imports = [...list.matchAll(/import \{ (.*) \} from "\.\/(.*-schema\.ts)"/g)];
  const fileOf = (schema: string): string => imports.find(([, names = ""]) => names.split(", ").includes(schema))?.[2] ?? "";
  const classes = [...list.matchAll(/^ {2}(\w+): (\w+),$/gm)].map(([, name = "", schema = ""]) => ({ name, file: fileOf(schema) }));
  const parts = [...Map.groupBy(classes, ({ file }) => file)].map(([file, of]) =>
    partOf(
      of.map(({ name }) => name),
      file,
    ),
  );
  const [written = ""] = read("docs/storage-schema.md").split(mark);
  return `${written}${mark}\n${parts.flat().join("\n")}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(documentPath, documentNow());
