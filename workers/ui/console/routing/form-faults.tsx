// What is wrong with a form of one entry of the routing table, beside its fields and in one list.

import type { PointedError } from "../../../../shared/model/outcome.ts";
import { Plain } from "../../outside-text.tsx";
import { useTexts } from "../page.ts";
import { Note } from "../pieces.tsx";
import { type RoutingWords, routingWords } from "./routing-words.ts";

/** `field`: null where it is of no field of the form; `pointer` then says where. */
export type Fault = { readonly field: string | null; readonly message: string; readonly pointer?: string };
export type Faults = readonly Fault[];

/**
 * The issues of a whole table, by the fields of one entry of it. `fieldAt`: the field of what
 * stands at these steps inside it.
 */
export const faultsOf = (issues: readonly PointedError[], entry: string, fieldAt: (steps: readonly string[]) => string | null): Faults =>
  issues.map(({ pointer, message }) => {
    const steps = pointer === entry || pointer.startsWith(`${entry}/`) ? pointer.slice(entry.length + 1).split("/") : null;
    return { field: steps === null ? null : fieldAt(steps), message, pointer };
  });

export const faultAt = (faults: Faults | null, field: string): string | undefined =>
  faults?.find((fault) => fault.field === field)?.message;

const labelOf = (texts: RoutingWords["form"], field: string): string => {
  if (Object.hasOwn(texts.scoreNames, field)) return texts.scoreNames[field as keyof typeof texts.scoreNames];
  const label = Object.hasOwn(texts, field) ? texts[field as keyof typeof texts] : field;
  return typeof label === "string" ? label : field;
};

/** What the form's script renews. `faults`: null before anything was entered. */
export const FormVerdict = ({ faults }: { faults: Faults | null }) => {
  const { form: texts } = useTexts(routingWords);
  return (
    <div id="check" aria-live="polite">
      {faults === null ? null : faults.length === 0 ? (
        <Note of="ok">{texts.valid}</Note>
      ) : (
        <Note of="bad">
          <p>
            <b>{texts.toFix}</b>
          </p>
          <ul>
            {faults.slice(0, 20).map(({ field, message, pointer }) => (
              <li>
                {field === null ? (
                  <code>
                    <Plain value={pointer ?? "/"} />
                  </code>
                ) : (
                  <a href={`#${field}`}>{labelOf(texts, field)}</a>
                )}{" "}
                <Plain value={message} />
              </li>
            ))}
          </ul>
        </Note>
      )}
    </div>
  );
};
