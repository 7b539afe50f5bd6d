// Two operators changed one document: what the other one changed, what this one changed, and this
// one's text, of which nothing is lost.

import { printJson, readJsonText } from "../../../../shared/json/json-text.ts";
import { mergeJson } from "../../../../shared/json/merge.ts";
import { documentDifference } from "../../../../shared/review/document-difference.ts";
import { Plain } from "../../outside-text.tsx";
import { fill, fillText } from "../../sentence.tsx";
import { partScript } from "../part-script.ts";
import { type PageAnswer, type Visit, useTexts } from "../page.ts";
import { Note } from "../pieces.tsx";
import { FormToken } from "../shell.tsx";
import { DifferenceCard, DifferenceOr } from "./difference-view.tsx";
import { findVersion, readDocument, readVersions, textOf } from "./document-api.ts";
import type { DocumentName } from "../../../stubs/config-calls.ts";
import { documentsWords } from "./documents-words.ts";
import { checkDraft } from "./draft-check.tsx";
import { Editor } from "./editor.tsx";
import { editorScript } from "./editor-script.ts";
import { WriterName } from "./writer-name.tsx";

type Draft = {
  readonly name: DocumentName;
  /** The version that the draft was made from. */
  readonly base: number;
  /** JSON of the whole document as the operator wants it. */
  readonly text: string;
};

/**
 * For any page whose write was answered 412: the draft as JSON, to be saved in a way that the
 * operator chooses.
 */
export async function renderConflict(visit: Visit, { name, base, text }: Draft): Promise<PageAnswer> {
  const [current, versions, before] = await Promise.all([
    readDocument(visit, name),
    readVersions(visit, name),
    findVersion(visit, name, base),
  ]);
  const texts = documentsWords[visit.language];
  const check = await checkDraft(visit, name, text);
  const read = readJsonText(text);
  const mine = read.ok ? textOf(read.value) : text;
  const joined =
    before === null || !read.ok ? null : mergeJson(withoutVersion(before), withoutVersion(read.value), withoutVersion(current));
  const by = versions.find(({ version }) => version === current.version)?.by;
  const says = { n: current.version, base, current: current.version };
  const title = fillText(texts.conflict.title, { name: texts.names[name] });
  return {
    kind: "page",
    status: 422,
    title,
    script: partScript + editorScript,
    body: () => (
      <>
        <h1>{title}</h1>
        <Note of="mind">
          <p>
            {by === undefined
              ? fill(texts.conflict.leadUnknown, says)
              : fill(texts.conflict.lead, { ...says, who: <WriterName by={by} /> })}
          </p>
        </Note>
        {before === null ? (
          <>
            <p>{fill(texts.conflict.unknownBase, { n: base, current: current.version })}</p>
            <Part heading={texts.conflict.between} n={current.version} from={textOf(current)} to={mine} />
          </>
        ) : (
          <div class="grid half">
            <Part heading={texts.conflict.theirs} n={current.version} from={textOf(before)} to={textOf(current)} />
            <Part heading={texts.conflict.yours} n={base} from={textOf(before)} to={mine} />
          </div>
        )}
        {joined === null ? null : joined.ok ? (
          <Both visit={visit} name={name} version={current.version} from={textOf(current)} to={textOf(joined.value)} />
        ) : (
          <section class="card stack">
            <p>{texts.conflict.overlap}</p>
            <ul>
              {joined.error.slice(0, 20).map((pointer) => (
                <li>
                  <code>
                    <Plain value={pointer === "" ? "/" : pointer} />
                  </code>
                </li>
              ))}
            </ul>
          </section>
        )}
        <section class="card stack" aria-labelledby="mine">
          <h2 id="mine">{texts.conflict.yourText}</h2>
          <p>{fill(texts.conflict.mineLead, says)}</p>
          <Editor
            visit={visit}
            name={name}
            version={current.version}
            base={current}
            text={text}
            check={check}
            isOver
            save={fillText(texts.conflict.mine, says)}
            isUnsaved
            label={texts.document}
          />
          <p>
            <a class="btn no" href={visit.at(`documents/${name}`)}>
              {fill(texts.conflict.take, says)}
            </a>
          </p>
        </section>
      </>
    ),
  };
}

const withoutVersion = (document: unknown): unknown => JSON.parse(textOf(document));

type PartProps = { readonly heading: string; readonly n: number; readonly from: string; readonly to: string };

const Part = ({ heading, n, from, to }: PartProps) => {
  const { conflict } = useTexts(documentsWords);
  return <DifferenceCard title={fillText(heading, { n })} lines={documentDifference(from, to)} none={conflict.same} />;
};

type BothProps = {
  readonly visit: Visit;
  readonly name: DocumentName;
  readonly version: number;
  readonly from: string;
  readonly to: string;
};

const Both = ({ visit, name, version, from, to }: BothProps) => {
  const texts = useTexts(documentsWords);
  return (
    <form class="card stack" method="post" action={visit.at(`documents/${name}`)} aria-labelledby="both">
      <h2 id="both">{texts.conflict.both}</h2>
      <FormToken visit={visit} />
      <input type="hidden" name="version" value={version} />
      <input type="hidden" name="text" value={printJson(JSON.parse(to))} />
      <p>{fill(texts.conflict.bothLead, { n: version })}</p>
      <DifferenceOr title={texts.conflict.both} lines={documentDifference(from, to)} none={texts.conflict.same} />
      <button class="btn yes" type="submit" name="do" value="save">
        {texts.conflict.both}
      </button>
    </form>
  );
};
