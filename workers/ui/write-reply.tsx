// "Write the reply yourself": the field in which a reviewer answers in the model's place, and the
// reply that a reviewer wrote so.

import type { FieldChange } from "../../shared/review/difference.ts";
import { answerAct, editField, formFields } from "../../shared/review/form.ts";
import { type ReviewFacts, isFromServer } from "../../shared/review/review-facts.ts";
import type { ReviewView } from "../../shared/review/view.ts";
import { answerPath } from "../../shared/review/written.ts";
import type { Origins } from "./request-kind-words.ts";
import { Requestor } from "./decision.tsx";
import { useWords } from "./language.ts";
import { Frames, Name, OutsideText, plainLetters } from "./outside-text.tsx";
import { blockParts } from "./pieces.tsx";
import { ownReplyId, placeId } from "./place-id.ts";
import { fill } from "./sentence.tsx";
import type { Showing } from "./text-part.tsx";

type ViewWithFacts = { readonly view: ReviewView; readonly facts: ReviewFacts };

/** The reply that a reviewer wrote: what Approve sends, uncut, as text from that person. */
export const WrittenReply = ({ view, facts, showing, origins }: ViewWithFacts & { showing: Showing; origins: Origins }) => {
  const words = useWords();
  const { written } = words.page;
  if (view.written == null) return null;
  const { reply } = view.written;
  if (reply === null || view.state.kind === "denied") return <p class="note">{words.review.kinds[facts.requestKind].hidden}</p>;
  const title = fill(written.title, { to: <Requestor view={view} facts={facts} /> });
  const parts = reply.content.flatMap((block, i) => {
    const path = `/content/${i}`;
    if (block.type === "embedding") return [];
    return blockParts({ showing, words, from: origins.reply, id: placeId(path), title, role: "model" }, path, block);
  });
  return (
    <>
      <Frames parts={parts} />
      <p class="hint">{written.below}</p>
    </>
  );
};

type WriteReplyProps = ViewWithFacts & {
  /** What the reviewer wrote before. */
  readonly kept: string | undefined;
  /** The changes that the page shows. */
  readonly changes: readonly FieldChange[];
  readonly error: string | undefined;
};

/** The field, with a button of its own: it says "Send" where the page shows what is sent. */
export const WriteReply = ({ view, facts, kept, changes, error }: WriteReplyProps) => {
  const words = useWords();
  const { written } = words.page;
  const isAgain = view.written != null;
  const isShown = changes.some(({ path }) => path === answerPath);
  const to = <Requestor view={view} facts={facts} />;
  const { server, client } = view.requestor;
  const send = (facts.quorum === null ? written.send : written.sendVote).replace(
    "{to}",
    // A function, because "$&" in a name would be replaced, too.
    () => plainLetters(isFromServer(facts) ? server : client, words),
  );
  const [first] = view.subject === "message" ? view.models : [];
  const id = editField(answerPath);
  const errorId = `${id}:fault`;
  return (
    <details class="ours" id={ownReplyId} open={kept !== undefined || error !== undefined}>
      <summary class="chev">{isAgain ? written.headingAgain : written.heading}</summary>
      <div class="in">
        <label for={id}>{fill(isAgain ? written.labelAgain : written.label, { to })}</label>
        <textarea
          class="field"
          id={id}
          name={formFields.answer}
          rows={4}
          spellcheck={false}
          aria-describedby={error === undefined ? "own-hint" : `${errorId} own-hint`}
          {...(error === undefined ? {} : { "aria-invalid": "true" })}
        >
          {`\n${kept ?? ""}`}
        </textarea>
        {error === undefined ? null : (
          <p class="fault" id={errorId}>
            {error}
          </p>
        )}
        {isShown && kept !== undefined ? (
          <div id="own-shown">
            <p class="sub">{written.shown}</p>
            <OutsideText text={kept} />
          </div>
        ) : null}
        <p class="hint" id="own-hint">
          {fill(written.hint, { first: <Name value={first?.id ?? ""} />, to, model: <Name value={view.mayWrite?.model ?? ""} /> })}{" "}
          {facts.replyForm === null ? "" : written.json}
        </p>
        <button
          type="submit"
          id="send-own"
          name={formFields.act}
          value={answerAct(isShown ? 1 : 0)}
          class="btn"
          data-check={written.check}
          data-send={send}
        >
          {isShown ? send : written.check}
        </button>
        {isAgain ? (
          <>
            <button type="submit" name={formFields.act} value="askModel" class="btn">
              <span>{fill(written.askModel, { model: <Name value={first?.id ?? ""} /> })}</span>
            </button>
            <p class="hint">{written.askModelHint}</p>
          </>
        ) : null}
      </div>
    </details>
  );
};
