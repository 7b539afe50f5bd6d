// The form of one MCP server.

import { serverSchema } from "../../../../shared/relay/servers.ts";
import { EntryForm, type EntryFormOf, type FilledForm } from "../entry-form.tsx";
import { Fields, MoreFields, formOf, othersThan } from "../fields.tsx";
import { type Visit, useTexts } from "../page.ts";
import { serversWords } from "./servers-words.ts";

export const serverForm: EntryFormOf = { ...formOf(serverSchema, serversWords), document: "servers" };

const first = ["url", "mode", "association", "protocol", "secret"];
const access = ["passAuthorization", "allowPrivate"];
const lists = ["samplingTools", "functions", "origins", "headers"];
const more = [...lists, ...othersThan(serverForm, [...first, ...access, ...lists])];

export const ServerForm = ({ visit, filled }: { readonly visit: Visit; readonly filled: FilledForm }) => {
  const { form } = useTexts(serversWords);
  const drawn = { form: serverForm, typed: filled.typed };
  return (
    <EntryForm visit={visit} form={serverForm} filled={filled} texts={form} first={<Fields {...drawn} of={first} />}>
      <div>
        <Fields {...drawn} of={access} />
      </div>
      <MoreFields {...drawn} of={more} title={form.more} />
    </EntryForm>
  );
};
