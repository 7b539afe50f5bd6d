// That an approval wants the reader's passkey, with the fields that the page's script fills. Its
// buttons do nothing without: the server refuses them.

import { passkeyFields } from "../../shared/review/passkey-form.ts";
import { useWords } from "./language.ts";
import { PasskeySaid } from "./passkey-said.tsx";

/** `path`: of the reader's passkeys. */
export type PasskeyNoteInput = { readonly count: number; readonly path: string };

export const PasskeyNote = ({ count, path, action }: PasskeyNoteInput & { readonly action: string }) => {
  const { passkey } = useWords().page;
  return (
    <section class="note" id="passkey-note">
      <div>
        <p>
          {count === 0 ? (
            <>
              {passkey.missing} <a href={path}>{passkey.add}</a>
            </>
          ) : (
            passkey.asks
          )}
        </p>
        <input type="hidden" name={passkeyFields.proof} value="" />
        <input type="hidden" name={passkeyFields.nonce} value="" />
        <PasskeySaid data={{ "data-decide": `${action}/passkey` }} />
      </div>
    </section>
  );
};
