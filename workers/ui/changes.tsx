// The changes, field by field: for the reviewer who previews their own edits, and for later reviewers.

import type { SamplingRequest } from "../../shared/model/sampling.ts";
import { condense, type Change, type FieldChange } from "../../shared/review/difference.ts";
import { Frame, SaidInline, type Origin } from "./outside-text.tsx";
import { pageWords as words, reviewWords } from "../../shared/channels/words/words.ts";

const Part = ({ change }: { change: Change }) => {
  switch (change.kind) {
    case "same":
      return <SaidInline text={change.text} />;
    // Hidden words, for screen readers.
    case "removed":
      return (
        <del>
          <span class="hidden">[{words.changes.removed}: </span>
          <SaidInline text={change.text} />
          <span class="hidden">]</span>
        </del>
      );
    case "added":
      return (
        <ins>
          <span class="hidden">[{words.changes.added}: </span>
          <SaidInline text={change.text} />
          <span class="hidden">]</span>
        </ins>
      );
    case "skipped":
      return <b class="unseen gap">{words.changes.skipped(change.lines)}</b>;
  }
};

/** The changed fields with what was removed and added. `from` says whose text it is. */
export const Changes = ({ changes, from, kind }: { changes: readonly FieldChange[]; from: Origin; kind: SamplingRequest["kind"] }) => (
  <>
    {changes.map((field) => (
      <section class="piece">
        <h3>{reviewWords.place(field.path, kind)}</h3>
        <Frame from={from}>
          <div class="said" dir="auto">
            {condense(field.changes).map((change) => (
              <Part change={change} />
            ))}
          </div>
        </Frame>
      </section>
    ))}
  </>
);
