// A reviewer's passkeys, and the form that adds one. The browser makes it by the page's script;
// without one the page says so.

import { formFields } from "../../../shared/review/form.ts";
import { type CreateOptions, type GetOptions, passkeyFields, passkeysTarget } from "../../../shared/review/passkey-form.ts";
import { Document, type FormPageInput } from "../document.tsx";
import { useWords } from "../language.ts";
import { Time } from "../names.tsx";
import { Name } from "../outside-text.tsx";
import { pageScript } from "../page-script.ts";
import { PasskeySaid } from "../passkey-said.tsx";
import { passkeyScript } from "../passkey-script.ts";
import { fill } from "../sentence.tsx";
import { type InboxPageInput, SignOut } from "./inbox-page.tsx";

export type PasskeyProblem = "signIn" | "late" | "failed" | "usedBefore" | "tooMany" | "unreachable";

export type PasskeysPageInput = FormPageInput & {
  /** Times are Unix milliseconds. */
  readonly passkeys: readonly {
    readonly id: string;
    readonly name: string;
    readonly isSynced: boolean;
    readonly createdAt: number;
    readonly usedAt: number | null;
  }[];
  readonly create: CreateOptions;
  /** For the passkey that confirms a further one; null where there is none. */
  readonly confirm: GetOptions | null;
  /** False where they have to sign in again before. */
  readonly mayAdd: boolean;
  readonly signOut: InboxPageInput["signOut"];
  readonly now: number;
  readonly isAdded: boolean;
  readonly problem?: PasskeyProblem;
};

const Passkeys = ({ passkeys, now }: Pick<PasskeysPageInput, "passkeys" | "now">) => {
  const words = useWords().inbox.passkeys;
  if (passkeys.length === 0) return <p class="soft">{words.none}</p>;
  return (
    <ul class="lines">
      {passkeys.map(({ name, isSynced, createdAt, usedAt }) => (
        <li>
          <p>
            <b>
              <Name value={name} />
            </b>{" "}
            {isSynced ? <span class="tag">{words.synced}</span> : null}
            <br />
            <span class="soft">
              {fill(words.since, { since: <Time at={createdAt} now={now} /> })}
              {usedAt === null ? null : (
                <>
                  {" · "}
                  {fill(words.used, { at: <Time at={usedAt} now={now} /> })}
                </>
              )}
            </span>
          </p>
        </li>
      ))}
    </ul>
  );
};

const Add = ({ action, nonce, create, confirm }: PasskeysPageInput) => {
  const words = useWords().inbox.passkeys;
  return (
    <form class="card stack" method="post" action={action} accept-charset="utf-8" autocomplete="off">
      <h2>{words.add}</h2>
      <p>{confirm === null ? words.addLead : words.addMore}</p>
      <input type="hidden" name={formFields.nonce} value={nonce} />
      <input type="hidden" name={passkeyFields.made} value="" />
      <input type="hidden" name={passkeyFields.proof} value="" />
      <div>
        <label for="name">{words.name}</label>
        <input class="field" id="name" name="name" maxlength={60} autocomplete="off" />
      </div>
      <p>
        <button type="submit" class="btn yes">
          {words.button}
        </button>
      </p>
      <PasskeySaid
        data={{ "data-create": JSON.stringify(create), ...(confirm === null ? {} : { "data-confirm": JSON.stringify(confirm) }) }}
      />
      <p class="hint">{words.scripts}</p>
    </form>
  );
};

export const PasskeysPage = (input: PasskeysPageInput & { readonly cspNonce: string }) => {
  const words = useWords();
  const { passkeys } = words.inbox;
  const { cspNonce, mayAdd, problem, isAdded, reader, inbox, signOut } = input;
  return (
    <Document
      title={`${passkeys.title} · ${words.page.product}`}
      cspNonce={cspNonce}
      reader={reader}
      inbox={inbox}
      script={pageScript + passkeyScript}
    >
      <div class="wrap inbox">
        <h1 class="said-by-us">{passkeys.title}</h1>
        {problem === undefined ? null : (
          <p class="note bad" role="alert">
            {passkeys.problems[problem]}
          </p>
        )}
        {isAdded ? (
          <p class="note ok" role="status">
            {passkeys.added}
          </p>
        ) : null}
        <section class="card stack">
          <h2>{passkeys.heading}</h2>
          <Passkeys {...input} />
          <p class="hint">{passkeys.lost}</p>
        </section>
        {mayAdd ? (
          <Add {...input} />
        ) : (
          <section class="card stack">
            <h2>{passkeys.add}</h2>
            <p>{passkeys.signIn}</p>
            <SignOut path={inbox.path} signOut={signOut} to={passkeysTarget} />
          </section>
        )}
      </div>
    </Document>
  );
};
