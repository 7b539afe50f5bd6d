// Revoking an API key, from the list of keys and from the key's own page: before the operator
// confirms, the form says how many open requests end with it.

import type { ListedKey } from "../../../endpoints/admin/answers/keys.ts";
import { paths } from "../../../platform/urls.ts";
import { fillText } from "../../sentence.tsx";
import { type Visit, useTexts } from "../page.ts";
import { Confirm } from "../pieces.tsx";
import { keysWords } from "./keys-words.ts";

/** Open requests that are counted by key. */
const mostOpen = 500;

/** Open requests of each key, by its id; `isMore`: there are more than were counted. */
export type OpenOfKeys = { readonly of: ReadonlyMap<string, number>; readonly isMore: boolean };

/** The open requests of every key, or of the one with that id. */
export async function openOfKeys({ api }: Visit, key?: string): Promise<OpenOfKeys> {
  const query = { state: "open", limit: String(mostOpen), ...(key === undefined ? {} : { key }) };
  const { runs, next } = await api.read(paths.admin.runs, { query });
  const open = new Map<string, number>();
  for (const run of runs) open.set(run.key, (open.get(run.key) ?? 0) + 1);
  return { of: open, isMore: next !== null };
}

type RevokeKeyProps = { readonly visit: Visit; readonly of: ListedKey; readonly open: OpenOfKeys };

/** Nothing for a key that was revoked, and for a role that may not change keys. */
export const RevokeKey = ({ visit, of, open: { of: open, isMore } }: RevokeKeyProps) => {
  const texts = useTexts(keysWords);
  if (of.revokedAt !== null || !visit.may("change")) return null;
  const n = open.get(of.id) ?? 0;
  return (
    <Confirm
      visit={visit}
      to="keys"
      fields={{ revoke: of.id }}
      ask={texts.revoke}
      about={of.name}
      says={`${n === 0 ? texts.ends.none : fillText(texts.ends[isMore ? "more" : "some"], { n })} ${texts.revokeSays}`}
      button={texts.revokeButton.replace("{name}", () => of.name)}
    />
  );
};
