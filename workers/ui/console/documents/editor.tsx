// The JSON editor of a document: its form, with what is wrong beside the text.

import { useTexts, type Visit } from "../page.ts";
import { FormToken } from "../shell.tsx";
import type { DocumentName } from "../../../stubs/config-calls.ts";
import { documentsWords } from "./documents-words.ts";
import { type DraftCheck, DraftChanges, DraftVerdict } from "./draft-check.tsx";

type EditorProps = {
  readonly visit: Visit;
  readonly name: DocumentName;
  /** The version that the next one is written on top of, and what it is. */
  readonly version: number;
  readonly base: unknown;
  readonly text: string;
  readonly check: DraftCheck;
  /** What the button that saves says. */
  readonly save: string;
  /** The text is the operator's, and stands nowhere else. */
  readonly isUnsaved: boolean;
  readonly label: string;
  /** Saving replaces what somebody else wrote. */
  readonly isOver?: boolean;
};

/** Where the operator may only read, the text alone. */
export const Editor = ({ visit, name, version, base, text, check, save, isUnsaved, label, isOver = false }: EditorProps) => {
  const texts = useTexts(documentsWords);
  const field = { id: "text", name: "text", class: "json field", spellcheck: false, autocapitalize: "off", autocomplete: "off" } as const;
  if (!visit.may("change"))
    return (
      <div class="stack">
        <label for="text">{label}</label>
        <textarea {...field} readonly rows={24}>
          {text}
        </textarea>
      </div>
    );
  const isInvalid = check.kind !== "valid";
  return (
    <form class="stack" method="post" action={visit.at(`documents/${name}`)} data-part="check">
      <FormToken visit={visit} />
      <input type="hidden" name="version" value={version} />
      <div class="grid side">
        <div class="stack">
          <label for="text">{label}</label>
          <textarea
            {...field}
            rows={24}
            aria-describedby="check"
            {...(isInvalid ? { "aria-invalid": "true" as const } : {})}
            {...(isUnsaved ? { "data-unsaved": "yes" } : {})}
          >
            {`\n${text}`}
          </textarea>
          {check.kind === "valid" && check.keysCutOff.length > 0 ? (
            <label class="check">
              <input type="checkbox" name="cutOffKeys" value="yes" />
              {texts.cutOffAnyway}
            </label>
          ) : null}
          <div class="actions">
            <button class={isOver ? "btn despite" : "btn yes"} type="submit" name="do" value="save">
              {save}
            </button>
            <button class="btn" type="submit" name="do" value="check">
              {texts.check}
            </button>
            {name === "routing" ? (
              <button class="btn" type="submit" name="do" value="play" formaction={visit.at("routing")}>
                {texts.tryDraft}
              </button>
            ) : null}
          </div>
        </div>
        <DraftVerdict check={check} />
      </div>
      <DraftChanges check={check} base={base} />
    </form>
  );
};
