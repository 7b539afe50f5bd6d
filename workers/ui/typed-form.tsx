// The fields of schema-fields.ts as a form: lists, objects and alternatives around the controls of
// single values. It works without a script: what is added is drawn on the next page.

import type { Child } from "hono/jsx";
import { editField, formFields } from "../../shared/review/form.ts";
import { alternativeControl, drawnControl } from "../../shared/json-schema/field-controls.ts";
import { type SchemaField } from "../../shared/json-schema/schema-field.ts";
import { alternativeLabels } from "./alternative-words.ts";
import { useWords } from "./language.ts";
import { Name } from "./outside-text.tsx";
import { controlId } from "./place-id.ts";
import { fill, fillText } from "./sentence.tsx";

import { type FieldProps, Changed, Choices, Control, Fault, Label, Out, hintWords, insideOf, isTouched } from "./typed-control.tsx";

/** One value with its control. */
const Single = ({ field, editing, unit }: FieldProps<"text" | "number" | "json" | "choice">) => {
  const hint = hintWords(field, useWords());
  const id = controlId(field.pointer);
  return (
    <div class={isTouched(field, editing) ? "arg changed" : "arg"}>
      <div class="head">
        <label for={id}>
          <Label field={field} />
        </label>
        <Changed field={field} editing={editing} />
        <Out field={field} editing={editing} unit={unit} />
      </div>
      <Fault pointer={field.pointer} editing={editing} />
      <Control field={field} editing={editing} unit={unit} />
      {hint === "" ? null : (
        <p class="hint" id={`${id}:hint`}>
          {hint}
        </p>
      )}
    </div>
  );
};

const Group = ({ field, editing, unit, id = controlId(field.pointer), children }: FieldProps & { id?: string; children: Child }) => (
  <fieldset class="arg group" id={id}>
    <legend>
      <Label field={field} /> <Changed field={field} editing={editing} />
    </legend>
    <Fault pointer={field.pointer} editing={editing} />
    <Out field={field} editing={editing} unit={unit} />
    {children}
  </fieldset>
);

/** A field that is not there: folded, so that what is sent stands alone. */
const Absent = ({ field, editing, words, children }: FieldProps & { words: Child; children: Child }) => (
  <details class="absent" open={isTouched(field, editing)}>
    <summary class="chev">{words}</summary>
    {children}
  </details>
);

const Items = ({ field, editing, unit }: FieldProps<"list">) => {
  const { call } = useWords().page;
  const last = field.items.length - 1;
  return (
    <>
      {field.items.map((item, i) => {
        const drawn = <TypedField field={item} editing={editing} unit={unit ?? (item.source === undefined ? field.pointer : undefined)} />;
        if (i !== last || item.source !== undefined) return drawn;
        return (
          <Absent field={item} editing={editing} words={call.addItem}>
            {drawn}
          </Absent>
        );
      })}
      {field.items.some((item) => item.source === undefined && isTouched(item, editing)) ? <p class="hint">{call.another}</p> : null}
    </>
  );
};

/** In characters. */
const longestSource = 400;

/** The choice of another alternative. Its fields come with the next page, or by its script. */
const Alternatives = ({ field, editing, unit }: FieldProps<"union">) => {
  const words = useWords();
  const { call } = words.page;
  const { alternatives, was, chosen, source, pointer } = field;
  const control = alternativeControl(field);
  const id = controlId(control);
  return (
    <div class="as">
      <label for={id}>{call.alternative}</label>
      <select id={id} name={editField(control)} class="as" data-was={String(was ?? "")} data-unit={editField(unit ?? pointer)}>
        {was === null ? <option value="">{source === undefined ? call.notSet : call.noAlternative}</option> : null}
        {alternativeLabels(alternatives, words).map((label, i) => (
          <option value={String(i)} selected={i === chosen}>
            {label}
          </option>
        ))}
      </select>
      <input type="hidden" name={editField(drawnControl(field))} value={String(chosen ?? "")} />
      <button type="submit" name={formFields.act} value="preview" class="act">
        {call.showFields}
        <span class="sr"> {field.name === null && !/\/\d+$/.test(pointer) ? null : <Label field={field} />}</span>
      </button>
      <Fault pointer={pointer} editing={editing} />
      {chosen === was || source === undefined ? null : (
        <p class="hint">
          {fill(call.asItCame, {
            value: <Name value={source.length > longestSource ? `${source.slice(0, longestSource).toWellFormed()}…` : source} />,
          })}
        </p>
      )}
    </div>
  );
};

/** What an alternative has in place of its value's field: the choice itself says it. */
const isSaid = (field: SchemaField): boolean =>
  field.kind === "choice" && field.options.length === 1 && field.options[0]?.json === field.source;

/** The fields of the alternative that is chosen. */
const Chosen = ({ field, editing, unit }: FieldProps<"union">) => {
  const { inner } = field;
  const hint = inner === null ? "" : hintWords(inner, useWords());
  if (inner === null || isSaid(inner)) return null;
  const inside = unit ?? (field.chosen === field.was ? undefined : field.pointer);
  const id = controlId(inner.pointer);
  switch (inner.kind) {
    case "object":
      return <TypedMembers field={inner} editing={editing} unit={inside} />;
    case "list":
      return <Items field={inner} editing={editing} unit={inside} />;
    case "choices":
      return <Choices field={inner} editing={editing} unit={inside} />;
    case "union":
      return <TypedField field={inner} editing={editing} unit={inside} />;
    default:
      return (
        <>
          <label class="sr" for={id}>
            <Label field={field} />
          </label>
          <Control field={inner} editing={editing} unit={inside} />
          {hint === "" ? null : (
            <p class="hint" id={`${id}:hint`}>
              {hint}
            </p>
          )}
        </>
      );
  }
};

/** Whether the field of the alternative is one control, which has the id of its pointer. */
const isControl = (field: SchemaField | null): boolean =>
  field !== null && insideOf(field) === null && field.kind !== "choices" && !isSaid(field);

/** The choice, and below it the fields. What is wrong with the whole stands between them. */
const UnionBody = (props: FieldProps<"union">) => {
  const { field, editing } = props;
  const { inner } = field;
  return (
    <>
      <Alternatives {...props} />
      {inner === null || inner.pointer === field.pointer ? null : (
        <div {...(isControl(inner) ? {} : { id: controlId(inner.pointer) })}>
          <Fault pointer={inner.pointer} editing={editing} />
        </div>
      )}
      <Chosen {...props} />
    </>
  );
};

/** Whether a whole has fields, and is not one text. */
export const hasFields = (field: SchemaField | undefined): field is FieldProps<"object" | "union">["field"] =>
  field?.kind === "object" || (field?.kind === "union" && field.inner?.kind === "object");

/** The fields of a whole. */
export const TypedWhole = ({ field, editing }: FieldProps<"object" | "union">) =>
  field.kind === "object" ? (
    <TypedMembers field={field} editing={editing} />
  ) : (
    <div class="arg">
      <UnionBody field={field} editing={editing} />
    </div>
  );

/** A field, and all that is inside it. */
const TypedField = ({ field, editing, unit }: FieldProps) => {
  const inside = unit ?? (field.source === undefined ? field.pointer : undefined);
  switch (field.kind) {
    case "object":
      return (
        <Group field={field} editing={editing} unit={unit}>
          <TypedMembers field={field} editing={editing} unit={inside} />
        </Group>
      );
    case "list":
      return (
        <Group field={field} editing={editing} unit={unit}>
          <Items field={field} editing={editing} unit={inside} />
        </Group>
      );
    case "union":
      return (
        <Group field={field} editing={editing} unit={unit} id={controlId(field.pointer) + (isControl(field.inner) ? ":group" : "")}>
          <UnionBody field={field} editing={editing} unit={unit} />
        </Group>
      );
    case "choices":
      return (
        <Group field={field} editing={editing} unit={unit}>
          <Choices field={field} editing={editing} unit={unit} />
        </Group>
      );
    default:
      return <Single field={field} editing={editing} unit={unit} />;
  }
};

/** The members of an object: those that may stay absent are in a fold of their own. */
const TypedMembers = ({ field, editing, unit }: FieldProps<"object">) => {
  const { call } = useWords().page;
  // Of what is not there yet, all is drawn.
  const isUnset = (member: SchemaField): boolean => field.source !== undefined && member.source === undefined && !member.isRequired;
  const unset = field.members.filter(isUnset);
  const draw = (member: SchemaField) => <TypedField field={member} editing={editing} unit={unit} />;
  return (
    <>
      {field.members.filter((member) => !isUnset(member)).map(draw)}
      {unset.length === 0 ? null : (
        <details class="absent" open={unset.some((member) => isTouched(member, editing))}>
          <summary class="chev">{fillText(call.unset, { n: unset.length })}</summary>
          {unset.map(draw)}
        </details>
      )}
    </>
  );
};
