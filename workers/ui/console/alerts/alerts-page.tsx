// Who hears what of the gateway itself: the form of the policy's `alerts`.

import * as z from "zod";
import { names } from "../../../../shared/json/form-fields.ts";
import { objectOf } from "../../../../shared/json/values.ts";
import type { JsonObject } from "../../../../shared/json-types.ts";
import { alertsSchema } from "../../../../shared/policy/alert-terms.ts";
import { fill } from "../../sentence.tsx";
import { FormBelow, entryOn } from "../entries-page.tsx";
import { type EntryForm, type EntryState, actOnEntry } from "../entry.ts";
import { Fields, formOf, othersThan } from "../fields.tsx";
import { type ConsolePage, type PageAnswer, type Visit, useTexts } from "../page.ts";
import { People } from "../people-field.tsx";
import { Confirm, Done, Names, Refused } from "../pieces.tsx";
import { alertsWords } from "./alerts-words.ts";

const member = "alerts";
const form = formOf(alertsSchema(z.array(z.string())), alertsWords, { to: names });

/** The policy has one of them or none: it is called as its member, and there is nothing to add. */
const alertsForm: EntryForm = {
  ...form,
  document: "policy",
  page: "alerts",
  name: "name",
  isApart: true,
  read: (policy) => objectOf(policy[member]) ?? {},
  write: (policy, { entry }) => ({ document: { ...policy, [member]: entry }, at: `/${member}` }),
  without: ({ [member]: _removed, ...policy }) => policy,
};

/** Whom the policy's `alerts` names: nobody where it has none. */
export function alertedIn(policy: JsonObject): string[] {
  const to = objectOf(policy[member])?.["to"];
  return Array.isArray(to) ? to.filter((name) => typeof name === "string") : [];
}

const AlertsForm = ({ visit, state }: { readonly visit: Visit; readonly state: EntryState }) => {
  const { form: texts, fields } = useTexts(alertsWords);
  const drawn = { form, typed: state.typed };
  return (
    <FormBelow
      visit={visit}
      of={alertsForm}
      state={{ ...state, was: member }}
      texts={texts}
      first={<People name="to" {...fields.to} typed={state.typed} policy={state.document} />}
    >
      <Fields {...drawn} of={othersThan(form, ["to"])} />
    </FormBelow>
  );
};

async function renderAlerts(visit: Visit, sent?: EntryState): Promise<PageAnswer> {
  const { current, state } = await entryOn(visit, alertsForm, sent);
  const to = alertedIn(current);
  const texts = alertsWords[visit.language];
  return {
    kind: "page",
    title: texts.title,
    ...(sent === undefined ? {} : { status: 422 }),
    body: () => (
      <>
        <div class="head">
          <h1>{texts.title}</h1>
        </div>
        <p>{texts.lead}</p>
        <Done visit={visit} texts={texts.done} />
        {state.failure === undefined ? null : <Refused failure={state.failure} />}
        <p>{to.length === 0 ? texts.nobodyTold : fill(texts.told, { to: <Names of={to} /> })}</p>
        {visit.may("change") ? (
          <>
            <AlertsForm visit={visit} state={state} />
            {to.length === 0 ? null : (
              <Confirm
                visit={visit}
                to="alerts"
                fields={{ was: member, version: String(current.version), do: "remove" }}
                ask={texts.remove}
                about=""
                says={texts.removeSays}
                button={texts.removeButton}
              />
            )}
          </>
        ) : null}
        <p class="keyline">
          <a href={visit.at("now")}>{texts.now}</a>
          <a href={visit.at("reviewers")}>{texts.reviewers}</a>
          <a href={visit.at("documents/policy")}>{texts.json}</a>
        </p>
      </>
    ),
  };
}

export const alertsPage: ConsolePage = {
  path: "alerts",
  get: (visit) => renderAlerts(visit),
  post: (visit) =>
    actOnEntry(visit, alertsForm, {
      shown: (sent) => renderAlerts(visit, sent),
      done: (what) => visit.at("alerts", { done: what }),
    }),
};
