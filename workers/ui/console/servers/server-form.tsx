// The form of one MCP server: its fields, what they say of an entry of the servers document, and
// back.

import { type Result, err, ok } from "../../../../shared/result.ts";
import type { Entry } from "../entries.tsx";
import { type EntryFields, EntryForm, type FilledForm } from "../entry-form.tsx";
import { Check, Input, Lines, Select, type Typed, linesIn, numberIn, typedOf } from "../fields.tsx";
import { type Visit, useTexts } from "../page.ts";
import { serversWords } from "./servers-words.ts";

/** Members that are true unless they say otherwise, and false. */
const onByDefault = ["tools", "tasks"] as const;
const offByDefault = ["context", "passAuthorization", "allowPrivate"] as const;
const choices = {
  mode: ["fulfil", "forward", "fallback"],
  association: ["auto", "strict", "inFlight"],
  protocol: ["auto", "2025", "2026"],
} as const;
const lists = ["samplingTools", "functions", "origins"] as const;

/** The fields of an entry as the form has them. */
function serverValues(entry: Entry): Typed["values"] {
  const tokens = (entry["v1Tokens"] ?? {}) as Entry; // as the API keeps it
  const linesOf = (value: unknown): string => (Array.isArray(value) ? value.join("\n") : "");
  const text = (value: unknown): string => (value === undefined ? "" : String(value));
  return {
    url: text(entry["url"]),
    secret: text(entry["secret"]),
    ...Object.fromEntries(Object.entries(choices).map(([name, [first]]) => [name, text(entry[name] ?? first)])),
    ...Object.fromEntries(onByDefault.flatMap((name) => (entry[name] === false ? [] : [[name, "yes"]]))),
    ...Object.fromEntries(offByDefault.flatMap((name) => (entry[name] === true ? [[name, "yes"]] : []))),
    ...Object.fromEntries(lists.map((name) => [name, linesOf(entry[name])])),
    headers: Object.entries((entry["headers"] ?? {}) as Entry)
      .map(([name, value]) => `${name}: ${String(value)}`)
      .join("\n"),
    "v1-maxUsd": text(tokens["maxUsd"]),
    "v1-maxSeconds": text(tokens["maxSeconds"]),
    "v1-models": linesOf(tokens["models"]),
  };
}

/**
 * The members that the form says, or the fields that are wrong. Other members of the entry stay.
 */
function serverIn(form: URLSearchParams, wrong: (typeof serversWords)["en"]["wrong"]): Result<(now: Entry | null) => Entry, Typed> {
  const errors: Record<string, string> = {};
  const text = (name: string): string => (form.get(name) ?? "").trim();
  const number = (name: string): number | undefined => {
    const typed = numberIn(text(name));
    if (typed === undefined) errors[name] = wrong.number;
    return typed ?? undefined;
  };
  if (text("name") === "") errors["name"] = wrong.name;
  if (text("url") === "") errors["url"] = wrong.url;
  const [maxUsd, maxSeconds, models] = [number("v1-maxUsd"), number("v1-maxSeconds"), linesIn(form.get("v1-models") ?? "")];
  const headers = linesIn(form.get("headers") ?? "").map((line) => /^([^:\s]+)\s*:\s*(.*)$/.exec(line));
  if (headers.includes(null)) errors["headers"] = wrong.header;
  if (Object.keys(errors).length > 0) return err(typedOf(form, errors));
  const hasTokens = maxUsd !== undefined || maxSeconds !== undefined || models.length > 0;
  return ok((now) => {
    const known = new Set<string>([
      "url",
      "secret",
      "headers",
      "v1Tokens",
      ...Object.keys(choices),
      ...onByDefault,
      ...offByDefault,
      ...lists,
    ]);
    const others = Object.fromEntries(Object.entries(now ?? {}).filter(([name]) => !known.has(name)));
    return {
      url: text("url"),
      ...(text("secret") === "" ? {} : { secret: text("secret") }),
      ...Object.fromEntries(
        Object.entries(choices).flatMap(([name, [first]]) => (text(name) === first || text(name) === "" ? [] : [[name, text(name)]])),
      ),
      ...Object.fromEntries(onByDefault.flatMap((name) => (form.has(name) ? [] : [[name, false]]))),
      ...Object.fromEntries(offByDefault.flatMap((name) => (form.has(name) ? [[name, true]] : []))),
      ...Object.fromEntries(lists.flatMap((name) => entryOf(name, linesIn(form.get(name) ?? "")))),
      ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers.map((match) => [match?.[1] ?? "", match?.[2] ?? ""])) }),
      ...(hasTokens
        ? {
            v1Tokens: {
              ...(maxUsd === undefined ? {} : { maxUsd }),
              ...(maxSeconds === undefined ? {} : { maxSeconds }),
              ...(models.length === 0 ? {} : { models }),
            },
          }
        : {}),
      ...others,
    };
  });
}

const entryOf = (name: string, lines: readonly string[]): (readonly [string, readonly string[]])[] =>
  lines.length === 0 ? [] : [[name, lines]];

/** The field of a member of the entry, by its pointer. */
function serverField(pointer: string): string {
  const [, member = "name", inside = "maxUsd"] = pointer.split("/");
  return member === "v1Tokens" ? `v1-${inside}` : member;
}

export const serverFields: EntryFields = {
  document: "servers",
  empty: { values: serverValues({}), errors: {} },
  valuesOf: serverValues,
  fieldOf: serverField,
  changeIn: ({ form, language }) => serverIn(form, serversWords[language].wrong),
  taken: ({ language }) => serversWords[language].wrong.taken,
};

export const ServerForm = ({ visit, filled }: { readonly visit: Visit; readonly filled: FilledForm }) => {
  const { typed } = filled;
  const { form, wrong } = useTexts(serversWords);
  const optionsOf = (words: Readonly<Record<string, string>>, names: readonly string[]) =>
    names.map((name) => [name, words[name] ?? name] as const);
  const labels = [
    ...(["url", "secret", "mode", "association", "protocol", ...onByDefault, ...offByDefault, ...lists, "headers"] as const).map(
      (name) => [name, form[name]] as const,
    ),
    ["v1-maxUsd", form.v1Usd] as const,
    ["v1-maxSeconds", form.v1Seconds] as const,
    ["v1-models", form.v1Models] as const,
  ];
  const inside = ["context", ...lists, "headers", "v1-maxUsd", "v1-maxSeconds", "v1-models"];
  const isOpen =
    inside.some((name) => (typed.values[name] ?? "") !== "" || typed.errors[name] !== undefined) ||
    onByDefault.some((name) => typed.values[name] === undefined);
  return (
    <EntryForm
      visit={visit}
      page="servers"
      filled={filled}
      texts={form}
      wrong={wrong.note}
      labels={labels}
      first={
        <>
          <Input typed={typed} name="url" label={form.url} hint={form.urlHint} inputmode="url" required />
          <Select typed={typed} name="mode" label={form.mode} options={optionsOf(form.modes, choices.mode)} />
          <Select typed={typed} name="association" label={form.association} options={optionsOf(form.associations, choices.association)} />
          <Select typed={typed} name="protocol" label={form.protocol} options={optionsOf(form.protocols, choices.protocol)} />
          <Input typed={typed} name="secret" label={form.secret} hint={form.secretHint} maxlength={128} />
        </>
      }
    >
      <div>
        <Check typed={typed} name="passAuthorization" label={form.passAuthorization} />
        <Check typed={typed} name="allowPrivate" label={form.allowPrivate} />
      </div>
      <details {...(isOpen ? { open: true } : {})}>
        <summary class="chev">{form.more}</summary>
        <Check typed={typed} name="tools" label={form.tools} />
        <Check typed={typed} name="tasks" label={form.tasks} />
        <Check typed={typed} name="context" label={form.context} />
        <div class="pairs-of-fields">
          <Lines typed={typed} name="samplingTools" label={form.samplingTools} hint={form.samplingToolsHint} />
          <Lines typed={typed} name="functions" label={form.functions} hint={form.functionsHint} />
          <Lines typed={typed} name="origins" label={form.origins} hint={form.originsHint} />
          <Lines typed={typed} name="headers" label={form.headers} hint={form.headersHint} />
          <Input typed={typed} name="v1-maxUsd" label={form.v1Usd} inputmode="decimal" maxlength={20} />
          <Input typed={typed} name="v1-maxSeconds" label={form.v1Seconds} inputmode="numeric" maxlength={20} />
          <Lines typed={typed} name="v1-models" label={form.v1Models} hint={form.v1ModelsHint} />
        </div>
      </details>
    </EntryForm>
  );
};
