// The review page: everything that would be sent or delivered, the fields to change it, and the
// decision. It decides and stores nothing, and needs no script: its script counts changes, tells
// times and listens.

import type { Child } from "hono/jsx";
import { changesBetween, type FieldChange } from "../../shared/review/difference.ts";
import { shownDigest } from "../../shared/review/changes.ts";
import { formFields, type SubmittedForm } from "../../shared/review/form.ts";
import type { ReviewView } from "../../shared/review/view.ts";
import { gateWords } from "../../shared/channels/fact-words.ts";
import { type ReviewFacts, reviewFacts } from "../../shared/review/review-facts.ts";
import type { Words } from "../../shared/channels/words/words.ts";
import type { KnownBy } from "../../shared/receipt/known.ts";
import { type Origins, originsOf } from "./request-kind-words.ts";
import { InlineDifference } from "./changes.tsx";
import { Decision, Harmless } from "./decision.tsx";
import { isInReply } from "../../shared/review/editable-fields.ts";
import { Details } from "./details.tsx";
import { Document, type InboxMark, useInboxLink } from "./document.tsx";
import { BigHost, FormContent, FormDecision } from "./form-page.tsx";
import { GivenGrant, type KeptGrant, MadeStop } from "./grant-offer.tsx";
import { Icon } from "./icons.tsx";
import { useWords } from "./language.ts";
import { Heading, promptId, promptPrefix, Steps, Strip, titleOf, Warnings } from "./lead.tsx";
import { LiveBanner } from "./live.tsx";
import { People, Person, Time } from "./names.tsx";
import { Next, NextBar, NextHeading, NextStrip } from "./next.tsx";
import { HandedOver, Outcome, OwnDecision, Raised, StandsIn } from "./outcome.tsx";
import { pageScript } from "./page-script.ts";
import { liveScript } from "./live-script.ts";
import { PlaceName } from "./outside-text.tsx";
import { PasskeyNote, type PasskeyNoteInput } from "./passkey-note.tsx";
import { passkeyScript } from "./passkey-script.ts";
import { placeId } from "./place-id.ts";
import { fieldProblems, type Problem, problemTitle, ProblemSummary } from "./problem.tsx";
import { Redactions } from "./redactions.tsx";
import { ReplyOf, RequestOf, requestSummaryOf } from "./subject-content.tsx";
import { fill } from "./sentence.tsx";
import { type Editing, isFoldable, type Showing } from "./text-part.tsx";
import { answerPath } from "../../shared/review/written.ts";
import { WriteReply, WrittenReply } from "./write-reply.tsx";
import { isLive, mayApprove, mayDecide, mayWrite } from "../../shared/review/permissions.ts";

export type ReviewPageInput = {
  readonly view: ReviewView;
  /** The path that the form is posted to: this page's own. */
  readonly action: string;
  /** The form's nonce, bound to link, version and digest. */
  readonly nonce: string;
  /** Why the last POST decided nothing. */
  readonly problem?: Problem;
  /** What the reviewer wrote and chose in that POST, to show it again. */
  readonly kept?: SubmittedForm;
  /** The grant that the reviewer chose in that POST. */
  readonly keptGrant?: KeptGrant;
  /** The reviewer's own changes, not yet sent: they are shown, and the button counts them. */
  readonly changes?: readonly FieldChange[];
  /** The reviewer asked for a preview: the page says so where there are no changes. */
  readonly preview?: boolean;
  /**
   * The path on which the page's script hears of other reviewers' decisions; absent where it is not
   * to listen.
   */
  readonly live?: string;
  /** Where the reviewer is signed in. */
  readonly inbox?: InboxMark;
  /** Of a reader who is signed in. */
  readonly passkeys?: PasskeyNoteInput;
  /** How the gateway knows the reader. */
  readonly known?: KnownBy;
};

type ViewWithFacts = { readonly view: ReviewView; readonly facts: ReviewFacts };

/** The names of the changed fields, each a link to its place. */
const ChangedField = ({ change, kind }: { change: FieldChange; kind: ReviewView["request"]["kind"] }) => {
  const { path } = change;
  const place = placeId(path);
  return (
    <>
      <a href={`#${place}`}>
        <PlaceName path={path} kind={kind} />
      </a>
      {/* A setting's difference stands here: its row may be far down in the details. */}
      {place === "settings" && path !== "" ? (
        <>
          {" "}
          <InlineDifference change={change} />
        </>
      ) : null}
    </>
  );
};

/** All of them in one line. */
const ChangedFields = ({ changes, kind }: { changes: readonly FieldChange[]; kind: ReviewView["request"]["kind"] }) => (
  <>
    {changes.map((change, i) => (
      <>
        {i === 0 ? "" : useWords().review.marks.comma}
        <ChangedField change={change} kind={kind} />
      </>
    ))}
  </>
);

/** What the reviewer's own changes are, at the top of a page that shows them. */
const Preview = ({ changes, view, isFocused }: { changes: readonly FieldChange[]; view: ReviewView; isFocused: boolean }) => {
  const { changes: words } = useWords().page;
  return (
    <section class="note news" id="preview" role="status" tabindex={-1} {...(isFocused ? { autofocus: true } : {})}>
      <p>
        {view.subject === "form"
          ? null
          : changes.length === 0
            ? words.nothing
            : fill(words.preview, { n: changes.length, fields: <ChangedFields changes={changes} kind={view.request.kind} /> })}{" "}
        {words.undecided}
      </p>
    </section>
  );
};

/** What earlier reviewers changed, and who made each version. */
const EditHistory = ({ changes, view }: { changes: readonly FieldChange[]; view: ReviewView }) => {
  const { changes: words, written } = useWords().page;
  const editor = view.versions.find(({ version }) => version === view.version)?.by ?? null;
  if (view.unwritten != null) {
    const { by, author } = view.unwritten;
    return (
      <section class="note news" id="changes">
        <p>
          {fill(written.unwritten, {
            by: <Person name={by} reader={view.reviewer} />,
            author: <People names={[author]} reader={view.reviewer} joined="and" />,
          })}
        </p>
      </section>
    );
  }
  if (changes.length === 0 || editor === null || (view.written ?? null) !== null) return null;
  return (
    <section class="note news" id="changes">
      <p>
        {fill(words.byWhom, {
          by: <Person name={editor} reader={view.reviewer} />,
          fields: <ChangedFields changes={changes} kind={view.request.kind} />,
        })}
      </p>
    </section>
  );
};

/** What Approve sends: a reply that the reviewer wrote has a button of its own. */
const approvedChanges = (changes: readonly FieldChange[]): number => changes.filter(({ path }) => path !== answerPath).length;

/** Differences that no edit of a field makes: between the texts there is none. */
const byPath = (changes: readonly FieldChange[]): Map<string, FieldChange> => new Map(changes.map((change) => [change.path, change]));

export const requestHistory = ({ request, requestAsAsked }: ReviewView): FieldChange[] =>
  requestAsAsked === null ? [] : changesBetween(requestAsAsked, request);

export const replyHistory = ({ reply, replyAsGenerated }: ReviewView): FieldChange[] =>
  reply === null || replyAsGenerated === null ? [] : changesBetween(replyAsGenerated, reply);

const isWithin = (a: string, b: string): boolean => a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`) || a === "";

export function showingOf(
  { view, facts }: ViewWithFacts,
  words: Words,
  editing: Editing | undefined,
  own: readonly FieldChange[],
  earlier: FieldChange[],
  prefix = "",
): Showing {
  const version = view.versions.findLast(({ by }) => by !== null);
  const sentence = words.page.changes.versionBy;
  return {
    editing,
    gate: view.gate,
    isOpen: facts.isOpen,
    kind: view.request.kind,
    own: byPath(own),
    earlier: byPath(earlier),
    editedBy:
      version === undefined
        ? words.page.redaction.byRule
        : fill(sentence, { by: <Person name={version.by ?? ""} reader={view.reviewer} />, at: <Time at={version.at} now={view.now} /> }),
    isWarned: (path) => view.risks.some(({ pointer }) => isWithin(pointer, path)),
    marks: { risks: facts.risks.map((note, i) => ({ number: i + 1, note })), prefix },
  };
}

/** The approved prompt, below its reply. Who changed it is in the versions of its own gate. */
const promptShowing = (shown: ViewWithFacts, words: Words): Showing => ({
  ...showingOf(shown, words, undefined, [], requestHistory(shown.view)),
  isOpen: false,
  editedBy: words.page.changes.approved,
});

/** Whether the request needs more room than six lines: what is no text does. */
function isLong(view: ReviewView): boolean {
  if (view.subject !== "message") return true;
  const { messages, systemPrompt = "" } = view.request;
  const texts = messages.flatMap(({ content }) => content.map((block) => (block.type === "text" ? block.text : null)));
  return texts.includes(null) || isFoldable([systemPrompt, ...texts].join("\n"));
}

type PromptProps = ViewWithFacts & { readonly showing: Showing; readonly origins: Origins; readonly isFolded?: boolean };

/**
 * The approved prompt, below the reply: folded where it is long, and open where a warning is about
 * it.
 */
const Prompt = ({ view, facts, showing, origins, isFolded = false }: PromptProps) => {
  const words = useWords();
  const isWarned = view.risks.some(({ pointer }) => !isInReply(pointer));
  return (
    <details class="ours" id={promptId} open={!isFolded && (!isLong(view) || isWarned)}>
      <summary class="chev">
        {words.review.kinds[facts.requestKind].prompt} <span class="size">{requestSummaryOf(view, words)}</span>
      </summary>
      <div class="in">
        <RequestOf view={view} showing={showing} origins={origins} prefix={promptPrefix} />
      </div>
    </details>
  );
};

type ContentProps = ViewWithFacts & {
  readonly content: Showing;
  readonly prompt: Showing;
  readonly origins: Origins;
  readonly kept: string | undefined;
  readonly changes: readonly FieldChange[];
  readonly error: string | undefined;
};

/** The request, or the reply with its request. A denied reply is never shown: only its prompt. */
const Content = ({ view, facts, content, prompt, origins, kept, changes, error }: ContentProps) => {
  const words = useWords();
  if (view.gate === "request") {
    return (
      <>
        <WrittenReply view={view} facts={facts} showing={content} origins={origins} />
        <RequestOf view={view} showing={content} origins={origins} />
        {mayWrite(view) ? <WriteReply view={view} facts={facts} kept={kept} changes={changes} error={error} /> : null}
      </>
    );
  }
  const reply = view.state.kind === "denied" ? null : view.reply;
  return (
    <>
      {reply === null ? (
        <p class="note">{view.state.kind === "denied" ? words.review.kinds[facts.requestKind].hidden : words.page.missing}</p>
      ) : (
        <ReplyOf view={view} showing={content} origins={origins} />
      )}
      <Prompt view={view} facts={facts} showing={prompt} origins={origins} />
    </>
  );
};

const Reminder = ({ children }: { children: Child }) => (
  <p class="note mind">
    <Icon of="info" />
    <span>{children}</span>
  </p>
);

/** What a reviewer has to know before reading. */
export const Notices = ({ view, facts }: ViewWithFacts) => {
  const words = useWords();
  const caution = facts.isOpen ? gateWords(facts, words.review).caution : "";
  return (
    <>
      <StandsIn view={view} />
      <HandedOver view={view} />
      <Raised view={view} />
      {view.gate === "response" && facts.isOpen && view.written?.by === view.reviewer ? (
        <p class="note">{words.page.written.yours}</p>
      ) : null}
      {view.requestor.gone && facts.isOpen ? <Reminder>{words.review.gone}</Reminder> : null}
      {caution === "" ? null : <Reminder>{caution}</Reminder>}
    </>
  );
};

/** The form around everything on it; a page without a decision has none. */
const Shell = ({
  input: { view, action, nonce, changes = [] },
  facts,
  children,
}: {
  input: ReviewPageInput;
  facts: ReviewFacts;
  children: Child;
}) =>
  mayDecide(view) ? (
    // What is typed into a form is checked by the gateway, which says beside each field what is
    // wrong with it.
    <form class="wrap review" method="post" action={action} accept-charset="utf-8" autocomplete="off" novalidate={view.subject === "form"}>
      <Harmless view={view} facts={facts} />
      <input type="hidden" name={formFields.nonce} value={nonce} />
      <input type="hidden" name={formFields.version} value={String(view.version)} />
      <input type="hidden" name={formFields.digest} value={view.digest} />
      <input type="hidden" name={formFields.shown} value={shownDigest(changes)} />
      {children}
    </form>
  ) : (
    <div class={(view.next ?? null) === null ? "wrap review closed" : "wrap review"}>{children}</div>
  );

function editingOf({ view, kept, problem }: ReviewPageInput, words: Words): Editing | undefined {
  // The request below a written reply goes nowhere.
  if (!mayApprove(view) || (view.gate === "request" && (view.written ?? null) !== null)) return undefined;
  return {
    kept: kept?.edits ?? new Map(),
    errors: new Map(problem === undefined ? [] : fieldProblems(problem, words).map(({ field, message }) => [field, message])),
  };
}

const problemAt = ({ problem }: ReviewPageInput, path: string, words: Words): string | undefined =>
  problem === undefined ? undefined : fieldProblems(problem, words).find(({ field }) => field === path)?.message;

const asksPasskey = (input: ReviewPageInput): input is ReviewPageInput & { readonly passkeys: PasskeyNoteInput } =>
  input.passkeys !== undefined && input.view.passkey === true && mayApprove(input.view);

const Lead = ({ input, facts, isListening }: { input: ReviewPageInput; facts: ReviewFacts; isListening: boolean }) => {
  const { view, action, nonce, problem, kept, changes = [], preview = false, live, inbox } = input;
  const words = useWords();
  const { page } = words;
  const isEditing = mayApprove(view);
  const next = view.next ?? null;
  const leadsOn = next !== null;
  // One note: how it ended, and with it that the reader's own form came too late.
  const isEnded = !facts.isOpen && !leadsOn;
  return (
    <div class="lead">
      {isListening && live !== undefined ? <LiveBanner view={view} action={action} live={live} /> : null}
      <Steps facts={facts} next={next} />
      {next === null ? (
        <Heading view={view} facts={facts} chosen={isEditing ? kept?.model : undefined} />
      ) : (
        <h1 class="said-by-us">
          <NextHeading view={view} facts={facts} next={next} />
        </h1>
      )}
      {view.subject === "form" && view.request.url !== undefined ? <BigHost url={view.request.url} /> : null}
      {facts.isOpen || leadsOn ? null : <p class="soft">{page.states.closedLink}</p>}
      {next === null ? <Strip view={view} facts={facts} /> : <NextStrip view={view} facts={facts} next={next} />}
      {problem === undefined || isEnded ? null : <ProblemSummary problem={problem} view={view} open={mayDecide(view)} />}
      {leadsOn ? null : <Outcome view={view} uncounted={problem === undefined ? undefined : problemTitle(problem.why, view.gate, words)} />}
      {isEnded && inbox !== undefined ? (
        <p>
          <a class="btn small" href={inbox.path}>
            {useInboxLink(inbox)}
          </a>
        </p>
      ) : null}
      <GivenGrant view={view} facts={facts} action={action} nonce={nonce} />
      <MadeStop view={view} action={action} nonce={nonce} />
      <OwnDecision view={view} />
      {isEditing && (preview || changes.length > 0) ? <Preview changes={changes} view={view} isFocused={problem === undefined} /> : null}
      <Notices view={view} facts={facts} />
      {asksPasskey(input) ? <PasskeyNote {...input.passkeys} action={action} /> : null}
      {leadsOn ? null : <Warnings view={view} facts={facts} />}
    </div>
  );
};

/** What is reviewed, with the fields in which a reviewer changes it. */
const Reviewed = ({ input, facts, content, prompt, history, origins }: ReviewedProps) => {
  const { view, kept, changes = [] } = input;
  const words = useWords();
  if (view.subject === "form") {
    const errors = new Map(
      (input.problem === undefined ? [] : fieldProblems(input.problem, words)).map(({ field, message }) => [field, message]),
    );
    return <FormContent view={view} origins={origins} showing={content} kept={kept?.edits} errors={errors} />;
  }
  return (
    <>
      <Redactions view={view} />
      <EditHistory changes={history} view={view} />
      <Content
        view={view}
        facts={facts}
        content={content}
        prompt={prompt}
        origins={origins}
        kept={kept?.answer}
        changes={changes}
        error={problemAt(input, answerPath, words)}
      />
    </>
  );
};

type ReviewedProps = Pick<ContentProps, "facts" | "content" | "prompt" | "origins"> & {
  readonly input: ReviewPageInput;
  readonly history: readonly FieldChange[];
};

export const ReviewPage = (input: ReviewPageInput & { readonly cspNonce: string }) => {
  const { view, cspNonce, kept, keptGrant, changes = [], live, inbox } = input;
  const words = useWords();
  const facts = reviewFacts(view);
  const shown = { view, facts };
  const decides = mayDecide(view);
  const editing = editingOf(input, words);
  const atRequest = view.gate === "request";
  const history = atRequest ? requestHistory(view) : replyHistory(view);
  const content = showingOf(shown, words, editing, changes, history);
  const prompt = atRequest ? content : promptShowing(shown, words);
  const origins = originsOf(view, words);
  const isListening = isLive(view) && live !== undefined;
  const next = view.next ?? null;
  return (
    <Document
      title={titleOf(view, facts, words)}
      cspNonce={cspNonce}
      {...(decides ? { skip: { to: "decision", words: words.page.toDecision } } : {})}
      {...(decides || inbox !== undefined ? { reader: view.reviewer } : {})}
      {...(inbox === undefined ? {} : { inbox })}
      script={pageScript + (asksPasskey(input) ? passkeyScript : "") + (isListening ? liveScript : "")}
    >
      <Shell input={input} facts={facts}>
        <Lead input={input} facts={facts} isListening={isListening} />
        <div class="content">
          {next === null ? (
            <Reviewed input={input} facts={facts} content={content} prompt={prompt} history={history} origins={origins} />
          ) : (
            <>
              <Next view={view} facts={facts} next={next} />
              <Prompt view={view} facts={facts} showing={prompt} origins={origins} isFolded />
            </>
          )}
        </div>
        <div class="rail">
          {decides && view.subject === "form" ? (
            <FormDecision view={view} facts={facts} kept={kept} isListening={isListening} />
          ) : decides ? (
            <Decision
              view={view}
              facts={facts}
              kept={kept}
              changes={approvedChanges(changes)}
              grant={keptGrant}
              isListening={isListening}
            />
          ) : null}
          {next === null ? null : <NextBar view={view} facts={facts} next={next} action={input.action} inbox={inbox} />}
          <Details
            view={view}
            facts={facts}
            showing={prompt}
            origins={origins}
            chosen={editing === undefined ? undefined : kept?.model}
            known={decides ? input.known : undefined}
          />
        </div>
      </Shell>
    </Document>
  );
};
