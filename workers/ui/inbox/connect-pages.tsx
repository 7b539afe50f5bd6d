// The pages on which a person lets an OAuth client in. All that the client says of itself is text
// from outside; what was verified is marked as such, and where the access goes is always named.

import type { ToolNames } from "../../../shared/policy/tool-names.ts";
import { formFields } from "../../../shared/review/form.ts";
import { Document, type FormPageInput, PlainDocument } from "../document.tsx";
import { Icon } from "../icons.tsx";
import { useWords } from "../language.ts";
import { Name } from "../outside-text.tsx";
import { fill, fillText } from "../sentence.tsx";
import { connectEnds } from "../../../shared/review/connect-ends.ts";

export type ConnectPageInput = FormPageInput & {
  readonly client: string;
  /** The host that its metadata came from; null for one that registered itself. */
  readonly verifiedHost: string | null;
  readonly redirectHost: string;
  readonly isLocal: boolean;
  readonly server: string;
  /** What the operator lets each client see and call there. */
  readonly tools: ToolNames;
  readonly mostDays: number | undefined;
  readonly problem?: "late" | "forged";
};

export const ConnectPage = (input: ConnectPageInput & { readonly cspNonce: string }) => {
  const words = useWords();
  const { connect } = words.inbox;
  const { action, nonce, client, verifiedHost, redirectHost, isLocal, server, tools, mostDays, reader, inbox, problem, cspNonce } = input;
  const title = `${fillText(connect.title, { client })} · ${words.page.product}`;
  return (
    <Document title={title} cspNonce={cspNonce} reader={reader} inbox={inbox}>
      <form class="wrap review" method="post" action={action} accept-charset="utf-8" autocomplete="off">
        <input type="hidden" name={formFields.nonce} value={nonce} />
        <div class="lead">
          {problem === undefined ? null : (
            <section class="note bad problem" role="alert" tabindex={-1} autofocus>
              <p>{connect.problems[problem]}</p>
            </section>
          )}
          <h1>{fill(connect.title, { client: <Name value={client} /> })}</h1>
          <p class="meta">
            {verifiedHost === null ? (
              <span class="tag mind">{connect.unverified}</span>
            ) : (
              <span>
                <Icon of="check" />{" "}
                {fill(connect.verified, {
                  host: (
                    <b>
                      <Name value={verifiedHost} />
                    </b>
                  ),
                })}
              </span>
            )}
            <span>
              {fill(connect.as, {
                reader: (
                  <b class="person">
                    <Name value={reader} />
                  </b>
                ),
              })}
            </span>
          </p>
        </div>
        <div class="content">
          <section class="card">
            <h2>{connect.server}</h2>
            <p>
              <b>
                <Name value={server} />
              </b>
              <br />
              <span class="soft">{connect.asks}</span>
            </p>
            {(["allow", "deny"] as const).map((list) =>
              tools[list] === undefined ? null : (
                <p class="soft">{fill(connect.tools[list], { names: <Name value={tools[list].join(", ")} /> })}</p>
              ),
            )}
            <label for="except">{connect.except}</label>
            <input
              id="except"
              name="except"
              type="text"
              class="field"
              maxlength={1_000}
              aria-describedby="except-hint"
              spellcheck={false}
            />
            <p class="soft" id="except-hint">
              {connect.exceptHint}
            </p>
          </section>
          <div class="card">
            <label for="end">{connect.until}</label>
            <select id="end" name="end">
              {connectEnds(mostDays).map((end) => (
                <option value={end}>{fillText(connect.ends[end], { n: mostDays ?? 0 })}</option>
              ))}
            </select>
          </div>
          {isLocal ? (
            <p class="note mind">
              <Icon of="info" />
              <span>{connect.local}</span>
            </p>
          ) : null}
          <p class="note">
            <Icon of="info" />
            <span>{connect.note}</span>
          </p>
        </div>
        <div class="rail">
          <div class="decide" id="decision">
            <p class="effect">
              {fill(connect.returns, {
                host: (
                  <b>
                    <Name value={redirectHost} />
                  </b>
                ),
              })}
            </p>
            <div class="row two">
              <button type="submit" class="btn" name={formFields.act} value="cancel">
                {connect.cancel}
              </button>
              <button type="submit" class="btn yes" name={formFields.act} value="allow">
                {connect.allow}
              </button>
            </div>
          </div>
        </div>
      </form>
    </Document>
  );
};

/** `to`: the address to go on to, the client's own. `client`: empty where it is not known. */
export type ConnectedPageInput = { readonly client: string; readonly isAllowed: boolean; readonly to: string; readonly host: string };

export const ConnectedPage = ({ cspNonce, client, isAllowed, to, host }: ConnectedPageInput & { cspNonce: string }) => {
  const { connect } = useWords().inbox;
  return (
    <PlainDocument
      title={client === "" ? connect.refused : fillText(isAllowed ? connect.connected : connect.cancelled, { client })}
      cspNonce={cspNonce}
    >
      <p>
        <a href={to} rel="noreferrer">
          {fill(connect.goOn, { host: <Name value={host} /> })}
        </a>
      </p>
    </PlainDocument>
  );
};

/** `why`: the library's sentence. */
export type ConnectRefusedPageInput = { readonly why: string };

export const ConnectRefusedPage = ({ cspNonce, why }: ConnectRefusedPageInput & { cspNonce: string }) => {
  const { connect } = useWords().inbox;
  return (
    <PlainDocument title={connect.refused} cspNonce={cspNonce}>
      <p>{connect.refusedLead}</p>
      <p class="soft">{fill(connect.why, { why })}</p>
    </PlainDocument>
  );
};

export type ConnectNotAllowedPageInput = { readonly reader: string; readonly server: string };

export const ConnectNotAllowedPage = ({ cspNonce, reader, server }: ConnectNotAllowedPageInput & { cspNonce: string }) => {
  const { connect } = useWords().inbox;
  return (
    <PlainDocument title={connect.refused} cspNonce={cspNonce}>
      <p>{fill(connect.notAllowed, { reader: <Name value={reader} />, server: <Name value={server} /> })}</p>
    </PlainDocument>
  );
};
