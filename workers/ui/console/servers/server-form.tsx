// The form of one MCP server.

import { serverSchema } from "../../../../shared/relay/servers.ts";
import { FormBelow, namedEntries } from "../entries-page.tsx";
import type { EntryState } from "../entry.ts";
import { Fields, MoreFields, formOf, othersThan } from "../fields.tsx";
import { type Visit, useTexts } from "../page.ts";
import { serversWords } from "./servers-words.ts";

export const serverForm = namedEntries(formOf(serverSchema, serversWords), "servers");

const first = ["url", "mode", "association", "protocol", "secret"];
const access = ["passAuthorization", "allowPrivate"];
const lists = ["samplingTools", "functions", "origins", "headers"];
const more = [...lists, ...othersThan(serverForm, [...first, ...access, ...lists])];

export const ServerForm = ({ visit, state }: { readonly visit: Visit; readonly state: EntryState }) => {
  const { form } = useTexts(serversWords);
  const drawn = { form: serverForm, typed: state.typed };
  return (
    <FormBelow visit={visit} of={serverForm} state={state} texts={form} first={<Fields {...drawn} of={first} />}>
      <div>
        <Fields {...drawn} of={access} />
      </div>
      <MoreFields {...drawn} of={more} title={form.more} />
    </FormBelow>
  );
};
