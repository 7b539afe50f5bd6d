// Everything else that reaches a provider or that a reviewer may want to know, in one fold:
// settings, provenance, models, ids.

import type { Child } from "hono/jsx";
import { useWords } from "./language.ts";
import type { Words } from "../../shared/channels/words/words.ts";
import type { ReviewFacts } from "../../shared/review/review-facts.ts";
import type { ReviewView } from "../../shared/review/view.ts";
import type { KnownBy } from "../../shared/receipt/known.ts";
import { type Origins, asksOf } from "./request-kind-words.ts";
import { Icon } from "./icons.tsx";
import { Models, NamedModel, RunsOn } from "./models.tsx";
import { People } from "./names.tsx";
import { Name, Plain } from "./outside-text.tsx";
import { ReplyRows } from "./reply-content.tsx";
import { replySummaryOf, requestSummaryOf } from "./subject-content.tsx";
import { Row, SettingsRows, TallRow } from "./request-settings.tsx";
import { fill } from "./sentence.tsx";
import type { Showing } from "./text-part.tsx";
import { accountWords } from "../../shared/channels/fact-words.ts";
import { noteWords } from "../../shared/channels/content-words.ts";

type DetailsProps = {
  readonly view: ReviewView;
  readonly facts: ReviewFacts;
  /** Of the request, with its fields where they can be changed here. */
  readonly showing: Showing;
  readonly origins: Origins;
  readonly chosen: string | undefined;
  /** How the gateway knows the reader, who may decide. */
  readonly known?: KnownBy | undefined;
  /** Keeps ids apart where a page has several reviews. */
  readonly prefix?: string;
};

const AskedBy = ({ view: { requestor }, facts }: Pick<DetailsProps, "view" | "facts">) => {
  const words = useWords();
  const { review } = words;
  const { label, sentence } = asksOf(facts, words);
  const isSure =
    facts.associationConfidence === "observed" ||
    facts.associationConfidence === "own" ||
    facts.associationConfidence === "responseStream" ||
    facts.associationConfidence === "namedTask";
  return (
    <TallRow name={label}>
      {fill(sentence, {
        server: <Name value={requestor.server} />,
        client: <Name value={requestor.client} />,
        method: <Name value={requestor.method} />,
        name: <Name value={requestor.name} />,
      })}
      <span class={isSure ? "soft sure" : "mind"}>
        {isSure ? null : <Icon of="info" />}
        {review.sure[facts.associationConfidence].short}
      </span>
    </TallRow>
  );
};

/** Whose own login at the server a call is sent with. */
const Account = ({ view }: Pick<DetailsProps, "view">) => {
  const account = accountSentence(view, useWords());
  return account === null ? null : <TallRow name={useWords().review.account.label}>{account}</TallRow>;
};

/** Null where the call's server wants no login. */
export function accountSentence({ requestor }: Pick<ReviewView, "requestor">, { review }: Words): Child[] | null {
  const found = accountWords(requestor, review);
  if (found === null) return null;
  const { account, owner, issuer } = found.names;
  return fill(found.sentence, { account: <Name value={account} />, owner: <Name value={owner} />, issuer: <Name value={issuer} /> });
}

function modelsHeading({ requestKind, isUnsent, serving }: ReviewFacts, { page: { models, written } }: Words): string {
  if (requestKind === "toolCall") return isUnsent ? models.unrunHeading : models.runsHeading;
  if (serving.kind === "written") return written.modelHeading;
  return isUnsent ? models.unaskedHeading : models.heading;
}

const Reviewers = ({ view, facts }: Pick<DetailsProps, "view" | "facts">) => {
  const { page } = useWords();
  const { owner } = view.requestor;
  const { reviewers = [view.reviewer], reviewer } = view;
  const names = <People names={reviewers} reader={reviewer} joined="and" />;
  const who: Child =
    facts.quorum === null ? names : fill(page.facts.reviewersOf, { needed: facts.quorum.needed, of: reviewers.length, names });
  return (
    <>
      {owner === null ? null : (
        <Row name={page.facts.owner}>
          <Name value={owner} />
        </Row>
      )}
      {reviewers.length === 0 ? null : (
        <Row name={page.facts.reviewers}>
          <span class="reviewers">{who}</span>
        </Row>
      )}
    </>
  );
};

/** How the decision will say that its reader was known. */
const Reader = ({ known }: { known: KnownBy }) => {
  const { knownYou } = useWords().page;
  const said = known.how === "issuer" ? fill(knownYou.issuer, { issuer: <Name value={known.issuer} /> }) : knownYou[known.how];
  return <Row name={knownYou.label}>{said}</Row>;
};

const Differences = ({ view, facts }: Pick<DetailsProps, "view" | "facts">) => {
  const words = useWords();
  const { page } = words;
  if (view.notes.length === 0 || facts.isUnsent || facts.serving.kind === "written") return null;
  return (
    <TallRow name={page.facts.differences}>
      <ul>
        {view.notes.map((note) => (
          <li>
            <Plain value={noteWords(note, words)} />
          </li>
        ))}
      </ul>
    </TallRow>
  );
};

/** Which review this is, and what nobody decides by: folded. */
const Ids = ({ view, facts }: Pick<DetailsProps, "view" | "facts">) => {
  const words = useWords();
  const { facts: said } = words.page;
  const isReply = view.gate === "response" && view.reply !== null && view.state.kind !== "denied";
  return (
    <>
      {facts.risks.length === 0 && facts.isOpen ? <Row name={said.warnings}>{words.page.warnings.none}</Row> : null}
      <TallRow name={said.request}>
        <details class="why">
          <summary class="chev">{fill(said.version, { version: String(view.version) })}</summary>
          <ul>
            <li>{isReply && view.reply !== null ? replySummaryOf(view.reply, words) : requestSummaryOf(view, words)}</li>
            <li>{fill(said.byRule, { rule: <Name value={view.rule} /> })}</li>
            <li>{words.review.sure[facts.associationConfidence].full}</li>
            <li>
              <Name value={view.run} />
            </li>
            <li>
              <Name value={view.digest} />
            </li>
          </ul>
        </details>
      </TallRow>
    </>
  );
};

/** Whether something in the fold needs the reader: a change, an error or a warning. */
const isOpen = ({ view, showing, chosen }: DetailsProps): boolean => {
  const paths = ["/maxTokens", "/temperature", "/stopSequences", "/metadata", "/responseFormat", "/modelPreferences", "/toolChoice"];
  const inside = (path: string): boolean => paths.some((each) => path.startsWith(each));
  const errors = [...(showing.editing?.errors.keys() ?? [])];
  const models = view.subject === "message" ? view.models : [];
  return (
    (chosen !== undefined && chosen !== models[0]?.id && models.some(({ id }) => id === chosen)) ||
    [...showing.own.keys(), ...showing.earlier.keys(), ...errors].some((path) => inside(path) || path === "model") ||
    view.risks.some(({ pointer }) => inside(pointer))
  );
};

export const Details = (props: DetailsProps) => {
  const { view, facts, showing, origins, chosen, prefix = "" } = props;
  const words = useWords();
  const { page } = words;
  const message = view.subject === "message" ? view : null;
  return (
    <details class="facts" id={`${prefix}settings`} open={isOpen(props)}>
      <summary class="chev">
        {page.facts.heading}{" "}
        {message?.request.kind === "chat" ? <span class="soft">{fill(page.facts.maxTokens, { n: message.request.maxTokens })}</span> : null}
      </summary>
      <div class="scroll" tabindex={0} role="group" aria-label={page.facts.heading}>
        <dl>
          <AskedBy view={view} facts={facts} />
          <Account view={view} />
          {view.subject === "toolCall" ? (
            <TallRow name={modelsHeading(facts, words)}>
              <RunsOn call={view.request} />
            </TallRow>
          ) : null}
          {message === null ? null : (
            <>
              <TallRow name={modelsHeading(facts, words)}>
                <NamedModel request={message.request} />
                <Models models={message.models} choosable={showing.editing !== undefined && view.gate === "request"} chosen={chosen} />
              </TallRow>
              {view.gate === "response" && message.reply !== null && view.state.kind !== "denied" ? (
                <ReplyRows reply={message.reply} view={message} />
              ) : null}
              <SettingsRows request={message.request} showing={showing} origins={origins} />
            </>
          )}
          <Differences view={view} facts={facts} />
          <Reviewers view={view} facts={facts} />
          {props.known === undefined ? null : <Reader known={props.known} />}
          <Ids view={view} facts={facts} />
        </dl>
      </div>
    </details>
  );
};
