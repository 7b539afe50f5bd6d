// The clients that a person let in by OAuth, the servers where they are signed in themselves, and a
// button for each.

import { formFields } from "../../../shared/review/form.ts";
import { Document, type FormPageInput } from "../document.tsx";
import { useWords } from "../language.ts";
import { Icon } from "../icons.tsx";
import { Time } from "../names.tsx";
import { Name } from "../outside-text.tsx";
import { pageScript } from "../page-script.ts";
import { fill } from "../sentence.tsx";
import { LoginNote, Logins, type LoginsInput } from "./logins.tsx";

type Connection = {
  /** The key's id. */
  readonly id: string;
  /** What the client calls itself. */
  readonly name: string;
  /** The host that its metadata came from; null where nobody has checked the name. */
  readonly client: string | null;
  readonly servers: readonly string[];
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** The same; null where it ends by not being used. */
  readonly expiresAt: number | null;
};

export type ConnectionsPageInput = FormPageInput & {
  readonly connections: readonly Connection[];
  readonly logins: LoginsInput;
  /** Unix milliseconds. */
  readonly now: number;
  /** One was ended just now. */
  readonly isEnded: boolean;
};

export const ConnectionsPage = (input: ConnectionsPageInput & { readonly cspNonce: string }) => {
  const words = useWords();
  const { connections } = words.inbox;
  const { action, nonce, now, isEnded, reader, inbox, cspNonce } = input;
  return (
    <Document title={`${connections.title} · ${words.page.product}`} cspNonce={cspNonce} reader={reader} inbox={inbox} script={pageScript}>
      <form class="wrap inbox" method="post" action={action} accept-charset="utf-8" autocomplete="off">
        <input type="hidden" name={formFields.nonce} value={nonce} />
        <h1 class="said-by-us">{connections.title}</h1>
        <LoginNote said={input.logins.said} />
        {isEnded ? (
          <p class="note" role="status">
            {connections.ended}
          </p>
        ) : null}
        <section class="card stack">
          <h2>{connections.heading}</h2>
          {input.connections.length === 0 ? (
            <p class="soft">{connections.none}</p>
          ) : (
            <ul class="lines">
              {input.connections.map((each) => (
                <li>
                  <p>
                    <b>
                      <Name value={each.name} />
                    </b>{" "}
                    {each.client === null ? (
                      <span class="tag mind">{connections.unverified}</span>
                    ) : (
                      <span class="tag ok">
                        <Icon of="check" />
                        <Name value={each.client} />
                      </span>
                    )}
                    <br />
                    <span class="soft">
                      {fill(connections.line, {
                        servers: <Name value={each.servers.join(", ")} />,
                        since: <Time at={each.createdAt} now={now} />,
                      })}
                      {each.expiresAt === null ? null : (
                        <>
                          {" · "}
                          {fill(connections.until, { until: <Time at={each.expiresAt} now={now} /> })}
                        </>
                      )}
                    </span>
                  </p>
                  <button type="submit" class="btn no" name="end" value={each.id}>
                    {connections.end}
                    <span class="sr">
                      {" "}
                      <Name value={each.name} />
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          )}
        </section>
        <Logins {...input.logins} now={now} />
      </form>
    </Document>
  );
};
