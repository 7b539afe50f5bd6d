// The difference between two texts, for the reviewer who changed one and for those who come later.

import { condense, type Change, type FieldChange } from "../../shared/review/difference.ts";
import { useWords } from "./language.ts";
import { SaidInline } from "./outside-text.tsx";
import { fill } from "./sentence.tsx";

const Part = ({ change }: { change: Change }) => {
  const {
    page: { changes: words },
    review,
  } = useWords();
  switch (change.kind) {
    case "same":
      return <SaidInline text={change.text} />;
    // Hidden words, for screen readers.
    case "removed":
      return (
        <del>
          <span class="sr">
            [{words.removed}
            {review.marks.colon}
          </span>
          <SaidInline text={change.text} />
          <span class="sr">]</span>
        </del>
      );
    case "added":
      return (
        <ins>
          <span class="sr">
            [{words.added}
            {review.marks.colon}
          </span>
          <SaidInline text={change.text} />
          <span class="sr">]</span>
        </ins>
      );
    case "skipped":
      return <b class="unseen gap">{fill(words.skipped, { n: change.lines })}</b>;
  }
};

/** A short one in a sentence of ours, such as that of a number or of the chosen model. */
export const InlineDifference = ({ change }: { change: FieldChange }) => (
  <bdi class="name">
    {condense(change.changes).map((each) => (
      <Part change={each} />
    ))}
  </bdi>
);

/** What was removed and added, in the frame that it stands in. */
export const Difference = ({ change, id }: { change: FieldChange; id?: string }) => (
  <div class="said diff" dir="auto" {...(id === undefined ? {} : { id })}>
    {condense(change.changes).map((each) => (
      <Part change={each} />
    ))}
  </div>
);
