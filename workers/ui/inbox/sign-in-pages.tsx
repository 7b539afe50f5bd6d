// The pages around signing in to the inbox. They never say whether an address is a reviewer's, and
// a GET of any of them does nothing.

import type { Words } from "../../../shared/channels/words/words.ts";
import { formFields } from "../../../shared/review/form.ts";
import { PlainDocument } from "../document.tsx";
import { findSessionScript } from "../session-script.ts";
import { useWords } from "../language.ts";
import { Name } from "../outside-text.tsx";
import { fill, fillText } from "../sentence.tsx";
import { LeavePage } from "./logins.tsx";

/**
 * Why nobody was signed in. `stranger`: Cloudflare Access signed in somebody who is no reviewer.
 */
export type SignInProblem = keyof Words["inbox"]["signIn"]["problems"] | "stranger";

export type SignInPageInput = {
  /** Where the form posts to. */
  readonly action: string;
  readonly nonce: string;
  /** The review that was wanted (`reviewKey`), or null. */
  readonly to: string | null;
  /** What was typed before. */
  readonly email: string;
  readonly canSend: boolean;
  /** Where people may sign in too, by the issuers' names; `action`: where their buttons post to. */
  readonly issuers: { readonly action: string; readonly names: readonly string[] };
  readonly problem?: SignInProblem;
};

const ProblemNote = ({ problem }: { problem: SignInProblem | undefined }) => {
  const { signIn } = useWords().inbox;
  if (problem === undefined) return null;
  return (
    <section class="note bad problem" role="alert" tabindex={-1} autofocus>
      <p>{problem === "stranger" ? signIn.stranger : signIn.problems[problem]}</p>
    </section>
  );
};

const IssuersForm = ({ issuers, nonce, to }: Pick<SignInPageInput, "issuers" | "nonce" | "to">) => {
  const { signIn } = useWords().inbox;
  if (issuers.names.length === 0) return null;
  return (
    <form method="post" action={issuers.action} accept-charset="utf-8" autocomplete="off">
      <input type="hidden" name={formFields.nonce} value={nonce} />
      {to === null ? null : <input type="hidden" name="to" value={to} />}
      {issuers.names.map((name) => (
        <p>
          <button type="submit" class="btn" name="issuer" value={name}>
            {fill(signIn.at, { issuer: <Name value={name} /> })}
          </button>
        </p>
      ))}
    </form>
  );
};

const AskForm = ({ action, nonce, to, email }: Pick<SignInPageInput, "action" | "nonce" | "to" | "email">) => {
  const { signIn } = useWords().inbox;
  return (
    <form method="post" action={action} accept-charset="utf-8">
      <input type="hidden" name={formFields.nonce} value={nonce} />
      {to === null ? null : <input type="hidden" name="to" value={to} />}
      <p>{signIn.lead}</p>
      <div>
        <label for="email">{signIn.email}</label>
        <input type="email" id="email" name="email" autocomplete="email" required maxlength={254} value={email} />
      </div>
      <button type="submit" class="btn yes">
        {signIn.send}
      </button>
    </form>
  );
};

export const SignInPage = ({ cspNonce, problem, canSend, ...form }: SignInPageInput & { cspNonce: string }) => {
  const { signIn } = useWords().inbox;
  return (
    <PlainDocument title={signIn.title} cspNonce={cspNonce} {...(problem === undefined ? { script: findSessionScript } : {})}>
      <ProblemNote problem={problem} />
      {canSend ? <AskForm {...form} /> : null}
      {canSend || form.issuers.names.length > 0 ? <IssuersForm {...form} /> : <p>{signIn.unable}</p>}
    </PlainDocument>
  );
};

/** The same for every address. `again`: the inbox's path. */
export type SignInAskedPageInput = { readonly again: string };

export const SignInAskedPage = ({ cspNonce, again }: SignInAskedPageInput & { cspNonce: string }) => {
  const { asked } = useWords().inbox;
  return (
    <PlainDocument title={asked.title} cspNonce={cspNonce}>
      <p>{asked.lead}</p>
      <p>
        <a href={again}>{asked.again}</a>
      </p>
    </PlainDocument>
  );
};

/** The page of the link: a button, since a program that opens links must not sign in. */
export type SignInEnterPageInput = { readonly action: string; readonly nonce: string; readonly problem?: SignInProblem };

export const SignInEnterPage = ({ cspNonce, action, nonce, problem }: SignInEnterPageInput & { cspNonce: string }) => {
  const { enter } = useWords().inbox;
  return (
    <PlainDocument title={enter.title} cspNonce={cspNonce}>
      <ProblemNote problem={problem} />
      <form method="post" action={action} accept-charset="utf-8" autocomplete="off">
        <input type="hidden" name={formFields.nonce} value={nonce} />
        <p>{enter.lead}</p>
        <button type="submit" class="btn yes">
          {enter.button}
        </button>
      </form>
    </PlainDocument>
  );
};

/** `to`: the issuer's sign-in. */
export type IssuerLeavePageInput = { readonly issuer: string; readonly to: string; readonly host: string };

export const IssuerLeavePage = ({ cspNonce, issuer, to, host }: IssuerLeavePageInput & { cspNonce: string }) => (
  <LeavePage cspNonce={cspNonce} title={fillText(useWords().inbox.signIn.at, { issuer })} to={to} host={host} />
);

/** The page that an issuer leads back to. `fields`: what the browser came with. */
export type IssuerReturnPageInput = SignInEnterPageInput & { readonly fields: Readonly<Record<string, string>> };

export const IssuerReturnPage = ({ cspNonce, action, nonce, fields, problem }: IssuerReturnPageInput & { cspNonce: string }) => {
  const { enter, signIn, logins } = useWords().inbox;
  return (
    <PlainDocument title={enter.button} cspNonce={cspNonce}>
      <ProblemNote problem={problem} />
      <form method="post" action={action} accept-charset="utf-8" autocomplete="off">
        <input type="hidden" name={formFields.nonce} value={nonce} />
        {Object.entries(fields).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <p>{signIn.back}</p>
        <p class="soft">{logins.backNote}</p>
        <button type="submit" class="btn yes" autofocus>
          {enter.button}
        </button>
      </form>
    </PlainDocument>
  );
};
