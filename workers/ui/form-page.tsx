// A form of an MCP server, as a person answers it: its question in a frame, a field for each value,
// and the buttons; or an address to open. A field is drawn from the schema's own words, which are
// text from outside; what is typed is checked when it is sent.

import type { Child } from "hono/jsx";
import { type FormField, isBox, typedOf } from "../../shared/json-schema/form-fields.ts";
import { checkedFormats } from "../../shared/json-schema/schema-keywords.ts";
import { type Typed, boxControl, isChecked } from "../../shared/json-schema/field-controls.ts";
import { isWhole } from "../../shared/json-schema/schema-field.ts";
import { fieldsOfForm } from "../../shared/review/form-answer.ts";
import { type SubmittedForm, editField, formFields } from "../../shared/review/form.ts";
import { mayApprove, mayGiveUp } from "../../shared/review/permissions.ts";
import type { ReviewFacts } from "../../shared/review/review-facts.ts";
import type { FormView } from "../../shared/review/view.ts";
import { fieldHints } from "./field-hint.ts";
import { Icon } from "./icons.tsx";
import { useWords } from "./language.ts";
import { Clock } from "./lead.tsx";
import { LiveCopy } from "./live.tsx";
import { type Origin, Frames, Name, OutsideText, Plain, plainLetters } from "./outside-text.tsx";
import { placeId } from "./place-id.ts";
import { RecuseForm } from "./recuse-form.tsx";
import { fill } from "./sentence.tsx";
import { MarkedText, type Showing } from "./text-part.tsx";

/** In characters: a longer text is typed into a field of several lines. */
const longestLine = 120;

type FieldProps = {
  readonly field: FormField;
  readonly typed: Typed;
  readonly error: string | undefined;
};

const inputTypes: Readonly<Record<string, string>> = { email: "email", uri: "url", date: "date" };

const Field = ({ field, typed, error }: FieldProps) => {
  const words = useWords();
  const { form } = words.page;
  const id = editField(field.pointer);
  const text = typed.get(field.pointer) ?? "";
  const hint = fieldHints(field, words).join(" · ");
  const said = [error === undefined ? "" : `${id}:fault`, hint === "" && field.description === undefined ? "" : `${id}:hint`]
    .filter(Boolean)
    .join(" ");
  const common = {
    id,
    name: id,
    ...(said === "" ? {} : { "aria-describedby": said }),
    ...(error === undefined ? {} : { "aria-invalid": "true" as const }),
    ...(field.isRequired && !isBox(field) ? { "aria-required": "true" as const } : {}),
  };
  const title = <Plain value={field.title} />;
  const label = (
    <>
      {title} {field.isRequired || isBox(field) ? null : <span class="soft">({form.optional})</span>}
    </>
  );
  const below = (
    <>
      {error === undefined ? null : (
        <p class="fault" id={`${id}:fault`}>
          {error}
        </p>
      )}
      {hint === "" && field.description === undefined ? null : (
        <p class="hint" id={`${id}:hint`}>
          {field.description === undefined ? null : <Plain value={field.description} />}
          {field.description === undefined || hint === "" ? hint : ` · ${hint}`}
        </p>
      )}
    </>
  );
  if (isBox(field))
    return (
      <div>
        <label class="check">
          <input type="checkbox" {...common} value="on" checked={text !== ""} /> {title}
        </label>
        {below}
      </div>
    );
  switch (field.kind) {
    case "choices":
      return (
        <fieldset id={id} {...(said === "" ? {} : { "aria-describedby": said })}>
          <legend>{label}</legend>
          {field.options.map((option, i) => (
            <label class="check">
              <input type="checkbox" name={editField(boxControl(field, i))} value="on" checked={isChecked(typed, boxControl(field, i))} />{" "}
              <Plain value={option.label} />
            </label>
          ))}
          {below}
        </fieldset>
      );
    case "choice":
      return (
        <div>
          <label for={id}>{label}</label>
          <select {...common}>
            <option value="">{form.choose}</option>
            {field.options.map(({ json, label: named }) => (
              <option value={json} selected={json === text}>
                {plainLetters(named, words)}
              </option>
            ))}
          </select>
          {below}
        </div>
      );
    case "number":
      return (
        <div>
          <label for={id}>{label}</label>
          <input class="field" {...common} inputmode={isWhole(field) ? "numeric" : "decimal"} value={text} />
          {below}
        </div>
      );
    case "text": {
      const { maxLength: max, format } = field.rules;
      const type = inputTypes[format ?? ""];
      const isLong = !checkedFormats.has(format ?? "") && (max ?? longestLine + 1) > longestLine;
      return (
        <div>
          <label for={id}>{label}</label>
          {isLong ? (
            <textarea class={max === undefined ? "field line" : "field"} {...common} rows={max === undefined ? 1 : 2}>
              {`\n${text}`}
            </textarea>
          ) : (
            <input class="field" {...common} type={type ?? "text"} value={text} />
          )}
          {below}
        </div>
      );
    }
    default:
      return field satisfies never;
  }
};

/** The answer that was given, value by value. */
const GivenAnswer = ({ view, origin }: { view: FormView; origin: Origin }) => {
  const words = useWords();
  const { form } = words.page;
  const { reply, request } = view;
  if (reply === null || request.url !== undefined) return null;
  /** As the reader chose it, and beside it what is sent where that is another text. */
  const shown = (field: FormField, value: unknown): Child => {
    if (typeof value === "boolean") return value ? form.yes : form.no;
    const option = "options" in field ? field.options.find(({ json }) => json === JSON.stringify(value)) : undefined;
    const sent = <Name value={String(value)} />;
    return option === undefined || option.label === value ? (
      sent
    ) : (
      <>
        <Name value={option.label} /> <span class="soft">({sent})</span>
      </>
    );
  };
  const part = (
    <section class="part">
      <header>
        <h2>{form.answer}</h2>
      </header>
      <dl class="said values">
        {fieldsOfForm(request)
          .filter(({ name }) => Object.hasOwn(reply.content, name))
          .map((field) => (
            <div>
              <dt>
                <Plain value={field.title} />
              </dt>
              {[reply.content[field.name]].flat().map((each) => (
                <dd>{shown(field, each)}</dd>
              ))}
            </div>
          ))}
      </dl>
    </section>
  );
  return <Frames parts={[{ from: origin, part }]} />;
};

type AddressProps = { readonly url: string; readonly isOpen: boolean };

/** An address, opened in the reader's own browser by their own click. Nothing here fetches it. */
const Address = ({ url, isOpen }: AddressProps) => {
  const words = useWords();
  const { address } = words.page.form;
  const { hostname } = new URL(url);
  const isSpelled = hostname.split(".").some((part) => part.startsWith("xn--"));
  return (
    <>
      {isSpelled ? <p class="note mind">{address.punycode}</p> : null}
      {isOpen ? (
        <p>
          <a class="btn yes" href={url} target="_blank" rel="noreferrer noopener">
            {fill(address.open, { host: hostname })}
          </a>
        </p>
      ) : null}
      <p class="note mind">
        <Icon of="info" />
        <span>{address.alone}</span>
      </p>
    </>
  );
};

/** The host of an address that a form asks to open, large. */
export const BigHost = ({ url }: { url: string }) => (
  <p class="big-host">
    <Name value={new URL(url).hostname} />
  </p>
);

type FormContentProps = {
  readonly view: FormView;
  readonly origins: { readonly request: Origin; readonly reply: Origin };
  readonly showing: Showing;
  /** What was sent in a form that did not count. */
  readonly kept: Typed | undefined;
  readonly errors: ReadonlyMap<string, string>;
};

export const FormContent = ({ view, origins, showing, kept, errors }: FormContentProps) => {
  const { form } = useWords().page;
  const { request, reply } = view;
  const { url, message } = request;
  const isOpen = mayApprove(view);
  const fields = fieldsOfForm(request);
  const typed = kept ?? typedOf(fields, reply?.content ?? null);
  const part = (
    <section class="part" id={placeId("/message")}>
      <MarkedText showing={showing} path="/message" text={message} />
      {url === undefined ? null : <OutsideText text={url} />}
    </section>
  );
  return (
    <>
      <Frames parts={[{ from: origins.request, part }]} />
      {url === undefined ? null : <Address url={url} isOpen={isOpen} />}
      {isOpen && fields.length > 0 ? (
        <div class="card stack" id={placeId("/schema")} role="group" aria-label={form.fields}>
          {fields.map((field) => (
            <Field field={field} typed={typed} error={errors.get(field.pointer)} />
          ))}
        </div>
      ) : null}
      {isOpen ? null : <GivenAnswer view={view} origin={origins.reply} />}
    </>
  );
};

type FormDecisionProps = {
  readonly view: FormView;
  readonly facts: ReviewFacts;
  readonly kept: SubmittedForm | undefined;
  readonly isListening: boolean;
};

/** Decline is a no; Dismiss is no answer at all. */
export const FormDecision = ({ view, facts, kept, isListening }: FormDecisionProps) => {
  const { page } = useWords();
  const { form, decide } = page;
  const isAddress = view.request.url !== undefined;
  const server = <Name value={view.requestor.server} />;
  const effect: Child = fill(isAddress ? form.address.effect : form.effect, { server });
  const { quorum } = facts;
  const vote = quorum === null ? "" : decide.vote.replace("{vote}", String(quorum.votes + 1)).replace("{needed}", String(quorum.needed));
  const mayAskOthers = mayGiveUp(view) && ((view.handOverTo ?? []).length > 0 || (view.reviewers ?? []).length > 1);
  return (
    <section class="decide" id="decision" tabindex={-1} aria-label={decide.heading}>
      <Clock view={view} facts={facts} />
      <p class="effect">{effect}</p>
      {isListening ? <LiveCopy /> : null}
      <div class="row">
        <details class="up deny" name="up">
          <summary class="btn no">{form.decline}</summary>
          <div class="panel">
            <p class="hint" id="decline-hint">
              {fill(form.declineHint, { server })}
            </p>
            <button type="submit" name={formFields.act} value="deny" class="btn no solid deny-now" aria-describedby="decline-hint">
              {form.decline}
            </button>
          </div>
        </details>
        {mayApprove(view) ? (
          <button type="submit" id="send" name={formFields.act} value="fill" class={isAddress ? "btn approve" : "btn approve yes"}>
            {isAddress ? form.address.opened : `${form.send}${vote}`}
          </button>
        ) : null}
        <details class="up more" name="up" open={kept?.to !== undefined}>
          <summary class="btn" aria-label={decide.more}>
            <span class="word">{decide.more}</span>
            <Icon of="dots" />
          </summary>
          <div class="panel menu">
            <details name="more">
              <summary class="chev">{form.dismiss}</summary>
              <div class="in">
                <p class="hint" id="dismiss-hint">
                  {fill(form.dismissHint, { server })}
                </p>
                <button type="submit" name={formFields.act} value="dismiss" class="btn" aria-describedby="dismiss-hint">
                  {form.dismiss}
                </button>
              </div>
            </details>
            {mayAskOthers ? <RecuseForm view={view} kept={kept} /> : null}
          </div>
        </details>
      </div>
    </section>
  );
};
