// The page to sign in to the console by the admin token or at an issuer. It says nothing about the
// gateway but that.

import { formTokenName } from "../../../shared/credential/console-session.ts";
import { formFields } from "../../../shared/review/form.ts";
import { PlainDocument } from "../document.tsx";
import { Name } from "../outside-text.tsx";
import { fill } from "../sentence.tsx";
import { findSessionScript } from "../session-script.ts";
import { consoleWords, type ConsoleWords } from "./console-words.ts";
import { useTexts } from "./page.ts";

/** Why nobody is signed in. */
export type ConsoleSignInProblem = keyof ConsoleWords["signIn"]["problems"];

export type ConsoleSignInInput = {
  /** Where the form posts to. */
  readonly action: string;
  readonly formToken: string;
  /** The page that was wanted. */
  readonly to: string;
  readonly hasToken: boolean;
  /** Where operators may sign in too, by the issuers' names. `action`: where buttons post to. */
  readonly issuers: { readonly action: string; readonly nonce: string; readonly names: readonly string[] };
  readonly problem?: ConsoleSignInProblem;
};

const Issuers = ({ issuers: { action, nonce, names }, to }: Pick<ConsoleSignInInput, "issuers" | "to">) => {
  const { signIn } = useTexts(consoleWords);
  if (names.length === 0) return null;
  return (
    <form method="post" action={action} accept-charset="utf-8">
      <input type="hidden" name={formFields.nonce} value={nonce} />
      <input type="hidden" name="to" value={to === "" ? "console" : `console/${to}`} />
      {names.map((name) => (
        <p>
          <button type="submit" class="btn" name="issuer" value={name}>
            {fill(signIn.at, { issuer: <Name value={name} /> })}
          </button>
        </p>
      ))}
    </form>
  );
};

export const ConsoleSignInPage = (input: ConsoleSignInInput & { cspNonce: string }) => {
  const { cspNonce, action, formToken, to, hasToken, issuers, problem } = input;
  const { signIn } = useTexts(consoleWords);
  return (
    <PlainDocument title={signIn.title} cspNonce={cspNonce} {...(problem === undefined ? { script: findSessionScript } : {})}>
      {problem === undefined ? null : (
        <section class="note bad problem" role="alert">
          <p>{signIn.problems[problem]}</p>
        </section>
      )}
      {hasToken ? (
        <form method="post" action={action} accept-charset="utf-8">
          <input type="hidden" name={formTokenName} value={formToken} />
          <input type="hidden" name="to" value={to} />
          <p>{signIn.lead}</p>
          <div>
            <label for="token">{signIn.token}</label>
            <input type="password" id="token" name="token" autocomplete="current-password" required autofocus maxlength={512} />
          </div>
          <button type="submit" class="btn yes">
            {signIn.button}
          </button>
        </form>
      ) : null}
      <Issuers issuers={issuers} to={to} />
      {hasToken || issuers.names.length > 0 ? null : <p>{signIn.none}</p>}
    </PlainDocument>
  );
};
