// The page to sign in to the console by the admin token. It says nothing about the gateway but
// that.

import { formTokenName } from "../../../shared/credential/console-session.ts";
import { PlainDocument } from "../document.tsx";
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
  readonly problem?: ConsoleSignInProblem;
};

export const ConsoleSignInPage = ({ cspNonce, action, formToken, to, hasToken, problem }: ConsoleSignInInput & { cspNonce: string }) => {
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
      ) : (
        <p>{signIn.none}</p>
      )}
    </PlainDocument>
  );
};
