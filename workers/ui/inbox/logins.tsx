// A person's own logins at servers: the list on the page of connections, the page that leads to a
// server's own sign-in, and the one that they come back to.

import { formFields } from "../../../shared/review/form.ts";
import type { LoginFault } from "../../../shared/relay/login.ts";
import { Document, type FormPageInput, PlainDocument } from "../document.tsx";
import { Icon } from "../icons.tsx";
import { useWords } from "../language.ts";
import { Time } from "../names.tsx";
import { Name } from "../outside-text.tsx";
import { fill, fillText } from "../sentence.tsx";

type LoginLine = {
  readonly server: string;
  readonly state: "none" | "connected" | "ended";
  /** What the person is called there, and what the login may do; null: it is not known. */
  readonly account: string | null;
  readonly scope: string | null;
  /** Unix milliseconds; null unless it ended. */
  readonly endedAt: number | null;
};

/** What became of a login just now. */
export type LoginSaid = { readonly server: string; readonly what: "connected" | "disconnected" | "unknown" | LoginFault };

/** `action`: where its buttons post to. */
export type LoginsInput = { readonly action: string; readonly list: readonly LoginLine[]; readonly said?: LoginSaid };

export const LoginNote = ({ said }: { readonly said: LoginSaid | undefined }) => {
  const { logins } = useWords().inbox;
  if (said === undefined) return null;
  const isGood = said.what === "connected" || said.what === "disconnected";
  return (
    <p class={isGood ? "note ok" : "note bad"} role={isGood ? "status" : "alert"}>
      <span>{fill(logins.said[said.what], { server: <Name value={said.server} /> })}</span>
    </p>
  );
};

/** What the server said of a login that is good. */
const namesOf = ({ state, account, scope }: LoginLine): string[] =>
  state === "connected" ? [account, scope].filter((name): name is string => name !== null && name !== "") : [];

/** Nothing where no server wants a login. */
export const Logins = ({ action, list, now }: LoginsInput & { readonly now: number }) => {
  const { logins } = useWords().inbox;
  if (list.length === 0) return null;
  return (
    <section class="card stack">
      <h2>{logins.heading}</h2>
      <p class="soft">{logins.lead}</p>
      <ul class="lines">
        {list.map((each) => (
          <li>
            <p>
              <b>
                <Name value={each.server} />
              </b>{" "}
              {each.state === "connected" ? (
                <span class="tag ok">
                  <Icon of="check" />
                  {logins.connected}
                </span>
              ) : null}
              {each.state === "ended" ? <span class="tag bad">{logins.again}</span> : null}
              <br />
              <span class="soft">
                {each.state === "none" ? logins.none : null}
                {namesOf(each).map((name, i) => (
                  <>
                    {i === 0 ? null : " · "}
                    <Name value={name} />
                  </>
                ))}
                {each.endedAt === null ? null : fill(logins.refusedAt, { at: <Time at={each.endedAt} now={now} /> })}
              </span>
            </p>
            <button
              type="submit"
              formaction={action}
              class={each.state === "connected" ? "btn" : "btn yes"}
              name={each.state === "connected" ? "disconnect" : "connect"}
              value={each.server}
            >
              {each.state === "connected" ? logins.disconnect : logins.connect}
              <span class="sr">
                {" "}
                <Name value={each.server} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
};

/** `to`: the server's own sign-in. */
export type LoginLeavePageInput = { readonly server: string; readonly to: string; readonly host: string };

export const LoginLeavePage = ({ cspNonce, server, to, host }: LoginLeavePageInput & { readonly cspNonce: string }) => (
  <LeavePage cspNonce={cspNonce} title={fillText(useWords().inbox.logins.leave, { host, server })} to={to} host={host} />
);

type LeavePageProps = { readonly cspNonce: string; readonly title: string; readonly to: string; readonly host: string };

/** The page that leads a browser to a sign-in elsewhere, by itself and by its link. */
export const LeavePage = ({ cspNonce, title, to, host }: LeavePageProps) => {
  const { logins } = useWords().inbox;
  return (
    <PlainDocument title={title} cspNonce={cspNonce}>
      <p>{logins.leaveLead}</p>
      <p>
        <a href={to} rel="noreferrer">
          {fill(logins.goOn, { host: <Name value={host} /> })}
        </a>
      </p>
    </PlainDocument>
  );
};

export type LoginReturnPageInput = FormPageInput & {
  readonly server: string;
  /** Its sign-in said no. */
  readonly isRefused: boolean;
  /** What the browser came back with. */
  readonly fields: Readonly<Record<string, string>>;
};

export const LoginReturnPage = (input: LoginReturnPageInput & { readonly cspNonce: string }) => {
  const words = useWords();
  const { logins } = words.inbox;
  const { action, nonce, server, isRefused, fields, reader, inbox, cspNonce } = input;
  const heading = isRefused ? logins.said.refused : logins.back;
  return (
    <Document title={`${fillText(heading, { server })} · ${words.page.product}`} cspNonce={cspNonce} reader={reader} inbox={inbox}>
      <form class="wrap inbox" method="post" action={action} accept-charset="utf-8" autocomplete="off">
        <input type="hidden" name={formFields.nonce} value={nonce} />
        {Object.entries(fields).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <h1>{fill(heading, { server: <Name value={server} /> })}</h1>
        <section class="card stack">
          {isRefused ? null : (
            <>
              <p>{fill(logins.backLead, { server: <Name value={server} /> })}</p>
              <p class="soft">{logins.backNote}</p>
            </>
          )}
          <button type="submit" class={isRefused ? "btn" : "btn yes"}>
            {isRefused ? logins.backTo : logins.connect}
          </button>
        </section>
      </form>
    </Document>
  );
};
