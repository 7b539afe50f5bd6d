// A tool's call: its arguments as they are sent, with their fields where a reviewer may change
// them, and what the server says of its tool.

import type { Child } from "hono/jsx";
import { pointerStep } from "../../shared/json/issue-collector.ts";
import { itemsIn, membersIn } from "../../shared/json/exact-json.ts";
import { isObject, parseJson } from "../../shared/json/values.ts";
import { type ToolCall, argumentsJsonOf, inputResponsesJsonOf, inputResponsesPath } from "../../shared/model/subject/tool-call.ts";
import type { Words } from "../../shared/channels/words/words.ts";
import { claimWords } from "../../shared/channels/content-words.ts";
import { argumentFields, argumentsPath, callDifferences, editedCall } from "../../shared/review/call-fields.ts";
import type { FieldChange } from "../../shared/review/difference.ts";
import { argumentName, isInArguments, objectText } from "../../shared/review/editable-fields.ts";
import type { SchemaField } from "../../shared/json-schema/schema-field.ts";
import { Difference } from "./changes.tsx";
import { Icon } from "./icons.tsx";
import { useWords } from "./language.ts";
import { type FramedPart, Frames, type Marks, Name, type Origin, PlaceName, SaidInline } from "./outside-text.tsx";
import { placeId } from "./place-id.ts";
import { fill } from "./sentence.tsx";
import type { Pin } from "../../shared/review/text-view.ts";
import { MarkedText, Pins, type Showing, TextPart, marksAt } from "./text-part.tsx";
import { isTouched } from "./typed-control.tsx";
import { TypedWhole, hasFields } from "./typed-form.tsx";

type CallProps = {
  readonly call: ToolCall;
  /** The last approved call of this tool. */
  readonly before: ToolCall | null;
  readonly showing: Showing;
  readonly from: Origin;
  readonly fromServer: Origin;
  readonly prefix: string;
};

const titleOf = (call: ToolCall, { page: { pieces } }: Words): Child =>
  argumentsJsonOf(call) === "{}" ? fill(pieces.runBare, { name: <Name value={call.tool} /> }) : pieces.arguments;

type LettersProps = { readonly text: string; readonly marks?: Marks | undefined };

const Letters = ({ text, marks }: LettersProps) =>
  text === "" ? <i>{useWords().review.outside.empty}</i> : <SaidInline text={text} {...(marks === undefined ? {} : { marks })} />;

/** A text in its letters; one that could be taken for another value in quotes. */
function leafText(json: string): string {
  const value: unknown = JSON.parse(json);
  return typeof value === "string" && parseJson(value) === undefined ? value : json;
}

/** The marks of a name or a value by its place: names have the place of their value with a "?". */
type MarksOfValues = (path: string, text: string) => Marks;

/** On a phone it stands under its name. */
const longValue = 48;

type ValuesProps = { readonly json: string; readonly path?: string; readonly marksOf?: MarksOfValues | undefined };

/** A JSON value as lists of names and values, each written as it is sent. */
const Values = ({ json, path = "", marksOf }: ValuesProps) => {
  const value: unknown = JSON.parse(json);
  if (Array.isArray(value) && value.length > 0)
    return (
      <ol class="values">
        {itemsIn(json).map((item, i) => (
          <li>
            <Values json={item} path={`${path}/${i}`} marksOf={marksOf} />
          </li>
        ))}
      </ol>
    );
  if (!isObject(value) || Object.keys(value).length === 0) {
    const text = leafText(json);
    return <Letters text={text} marks={marksOf?.(path, text)} />;
  }
  return (
    <dl class="values">
      {[...membersIn(json)].map(([name, member]) => (
        <div class={member.length > longValue ? "long" : ""}>
          <dt>
            <Letters text={name} marks={marksOf?.(`${path}${pointerStep(name)}?`, name)} />
          </dt>
          <dd>
            <Values json={member} path={path + pointerStep(name)} marksOf={marksOf} />
          </dd>
        </div>
      ))}
    </dl>
  );
};

/** Every name and value with its place, in the order of `Values`. */
function* textsIn(json: string, path = ""): Generator<readonly [path: string, text: string]> {
  const value: unknown = JSON.parse(json);
  if (Array.isArray(value) && value.length > 0) for (const [i, item] of itemsIn(json).entries()) yield* textsIn(item, `${path}/${i}`);
  else if (!isObject(value) || Object.keys(value).length === 0) yield [path, leafText(json)];
  else
    for (const [name, member] of membersIn(json)) {
      yield [`${path}${pointerStep(name)}?`, name];
      yield* textsIn(member, path + pointerStep(name));
    }
}

/** The marks of the JSON at a place of the call, whose warnings are about all of it together. */
function jsonMarks(showing: Showing, at: string, json: string): { marksOf: MarksOfValues; unplaced: readonly Pin[] } {
  const whole = marksAt(showing, at, "");
  const first = new Map<number, string>();
  if (whole.unplaced.length > 0)
    for (const [path, text] of textsIn(json))
      for (const { number } of marksAt(showing, at, text).parts) if (!first.has(number)) first.set(number, path);
  return {
    marksOf: (path, text) => ({
      parts: marksAt(showing, at, text).parts,
      idOf: (number) => (first.get(number) === path ? whole.idOf(number) : undefined),
    }),
    unplaced: whole.unplaced.filter(({ number }) => !first.has(number)),
  };
}

/** Each change by the name of its argument. */
const Changes = ({ changes }: { changes: readonly FieldChange[] }) => (
  <>
    {changes.map((change) => (
      <>
        <p class="sub">
          <PlaceName path={change.path} kind="toolCall" />
        </p>
        <Difference change={change} />
      </>
    ))}
  </>
);

const longestBefore = 80;
const mostBefore = 8;

/** What the last approved call had otherwise, a line each. */
const Before = ({ call, before }: Pick<CallProps, "call"> & { before: ToolCall }) => {
  const { page, review } = useWords();
  const { call: words } = page;
  const differing = callDifferences(call, before);
  if (differing.length === 0) return <p class="sub">{words.sameAsBefore}</p>;
  return (
    <>
      {differing.slice(0, mostBefore).map(({ path, then: value }) => {
        const name = <Name value={argumentName(path) ?? review.place.arguments} />;
        if (value === undefined) return <p class="sub">{fill(words.absentBefore, { name })}</p>;
        const short = value.length > longestBefore ? `${value.slice(0, longestBefore).toWellFormed()}…` : value;
        return <p class="sub">{fill(words.before, { name, value: <Name value={short} /> })}</p>;
      })}
      {differing.length > mostBefore ? <p class="sub">{fill(words.moreBefore, { n: differing.length - mostBefore })}</p> : null}
    </>
  );
};

type PartProps = Omit<CallProps, "from" | "fromServer"> & { readonly field: Extract<SchemaField, { kind: "object" | "union" }> };

const Arguments = ({ call, before, showing, prefix, field }: PartProps) => {
  const words = useWords();
  const { page } = words;
  const { editing, own, earlier } = showing;
  const inside = (changes: Showing["own"]): FieldChange[] => [...changes.values()].filter(({ path }) => isInArguments(path));
  const error = editing?.errors.get(argumentsPath);
  const touched = editing !== undefined && (isTouched(field, editing) || error !== undefined);
  const edited = editing === undefined ? null : editedCall(call, editing.kept);
  const json = argumentsJsonOf(edited?.ok === true ? edited.value : call);
  const { marksOf, unplaced } = jsonMarks(showing, argumentsPath, json);
  const [ownChanges, earlierChanges] = [inside(own), inside(earlier)];
  return (
    <section class={touched ? "part changed" : "part"} id={prefix + placeId(argumentsPath)}>
      <header>
        <h2>{titleOf(call, words)}</h2>
        <Pins pins={unplaced} prefix={showing.marks.prefix} />
        {touched ? <span class="badge">{page.changes.changed}</span> : null}
      </header>
      {error === undefined ? null : <p class="sub fault">{error}</p>}
      {earlierChanges.length === 0 ? null : <p class="sub">{showing.editedBy}</p>}
      <Changes changes={earlierChanges} />
      <Changes changes={ownChanges} />
      <div class="view">
        {ownChanges.length + earlierChanges.length === 0 ? null : (
          <p class="sub">{showing.isOpen ? page.changes.sent[showing.gate] : page.changes.closed}</p>
        )}
        <div class="said">
          <Values json={json} marksOf={marksOf} />
        </div>
      </div>
      {before === null ? null : <Before call={call} before={before} />}
      {editing === undefined ? null : (
        <details class="edit" open={touched}>
          <summary class="act">
            <Icon of="pencil" />
            {page.edit.open}
            <span class="sr">: {words.review.place.arguments}</span>
          </summary>
          <div class="args">
            <TypedWhole field={field} editing={editing} />
          </div>
        </details>
      )}
    </section>
  );
};

/** What the client answers its server with this call: it is sent along, as it is. */
const InputResponses = ({ json, showing, prefix }: Pick<CallProps, "showing" | "prefix"> & { json: string }) => {
  const { page, review } = useWords();
  const { marksOf, unplaced } = jsonMarks(showing, inputResponsesPath, json);
  return (
    <section class="part" id={prefix + placeId(inputResponsesPath)}>
      <header>
        <h2>{review.place.inputResponses}</h2>
        <Pins pins={unplaced} prefix={showing.marks.prefix} />
      </header>
      <p class="sub">{page.call.inputResponses}</p>
      <div class="view said">
        <Values json={json} marksOf={marksOf} />
      </div>
    </section>
  );
};

type Described = { readonly name: string; readonly text: string };

/** All items are described alike, and the last one stands for what may be added. */
function describedMembers(field: SchemaField): readonly SchemaField[] {
  if (field.kind === "union") return field.inner === null ? [] : describedMembers(field.inner);
  return field.kind === "object" ? field.members : field.kind === "list" ? field.items.slice(-1) : [];
}

/** Each field that the server describes, by its name and the names around it. */
function describedIn(field: SchemaField, around: string): Described[] {
  const { name: own, title, description } = field;
  const name = own === null ? around : around === "" ? own : `${around}.${own}`;
  const others = field.kind === "union" ? field.alternatives.flatMap((each) => [each.title, each.description]) : [];
  const text = [...new Set([title, description, ...others])].filter((each) => each !== undefined && each !== own).join("\n");
  return [...(name === "" || text === "" ? [] : [{ name, text }]), ...describedMembers(field).flatMap((each) => describedIn(each, name))];
}

const describedFields = (field: SchemaField | undefined): Described[] => (hasFields(field) ? describedIn(field, "") : []);

/** What the server says: nothing of it is checked, and none of it is sent. */
const Definition = ({ call, showing, prefix, described }: Omit<PartProps, "before" | "field"> & { described: readonly Described[] }) => {
  const words = useWords();
  const { title, description, annotations } = call.definition ?? {};
  return (
    <details class="part" id={`${prefix}definition`} open={showing.isWarned("/definition")}>
      <summary class="chev">
        <h2>{fill(words.page.call.said, { server: <Name value={call.server} /> })}</h2>
        <span class="size">{claimWords(annotations, words)}</span>
      </summary>
      {title === undefined ? null : <MarkedText showing={showing} path="/definition/title" text={title} />}
      {description === undefined ? null : <MarkedText showing={showing} path="/definition/description" text={description} />}
      {described.length === 0 ? null : (
        <div class="said">
          <dl class="values told">
            {described.map(({ name, text }) => (
              <div>
                <dt>
                  <Letters text={name} />
                </dt>
                <dd>
                  <SaidInline text={text} />
                </dd>
              </div>
            ))}
          </dl>
        </div>
      )}
    </details>
  );
};

type RowProps = { readonly call: ToolCall; readonly before: ToolCall | null };

/** All that a call among others sends, and what its last approved one had otherwise. */
export const CallRow = ({ call, before }: RowProps) => (
  <>
    <div class="said">
      <Values json={argumentsJsonOf(call)} />
    </div>
    {before === null ? null : <Before call={call} before={before} />}
  </>
);

/** What the server says of the tool of such calls, where it says anything. */
export function definitionPart({ call, showing, fromServer, prefix }: Omit<CallProps, "before" | "from">, words: Words): FramedPart[] {
  const { definition } = call;
  const described = describedFields(argumentFields(call)?.field);
  const says =
    definition !== undefined &&
    (definition.title !== undefined ||
      definition.description !== undefined ||
      described.length > 0 ||
      claimWords(definition.annotations, words) !== "");
  return says ? [{ from: fromServer, part: <Definition call={call} showing={showing} prefix={prefix} described={described} /> }] : [];
}

/** What would run: its arguments, and what the server says of the tool. */
export const CallContent = ({ call, before, showing, from, fromServer, prefix }: CallProps) => {
  const words = useWords();
  const form = argumentFields(call, showing.editing?.kept);
  const field = form?.field;
  const title = titleOf(call, words);
  const id = prefix + placeId(argumentsPath);
  const text = objectText(call.arguments, call.argumentsJson);
  const answers = inputResponsesJsonOf(call);
  const parts: FramedPart[] = [
    {
      from,
      part: hasFields(field) ? (
        <Arguments call={call} before={before} showing={showing} prefix={prefix} field={field} />
      ) : (
        <>
          <TextPart showing={showing} path={argumentsPath} title={title} text={text} kind="object" id={id} />
          {before === null ? null : <Before call={call} before={before} />}
        </>
      ),
    },
    ...(answers === null ? [] : [{ from, part: <InputResponses json={answers} showing={showing} prefix={prefix} /> }]),
    ...definitionPart({ call, showing, fromServer, prefix }, words),
  ];
  return <Frames parts={parts} />;
};
