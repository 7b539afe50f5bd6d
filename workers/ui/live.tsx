// Where the page's script says that somebody else decided, or changed the content meanwhile. Empty
// until then; nothing on the page depends on it.

import type { ReviewView } from "../../shared/review/view.ts";
import type { Words } from "../../shared/channels/words/words.ts";
import { useWords } from "./language.ts";
import { plainLetters } from "./outside-text.tsx";

type LiveBannerProps = { view: ReviewView; action: string; live: string };

/**
 * The sentences. That of a change names who made this version, for a page that was opened before.
 */
function liveWords({ versions, version, reviewer }: ReviewView, words: Words): Record<string, string> {
  const { live } = words.page;
  const editor = versions.find((each) => each.version === version)?.by ?? reviewer;
  // A function, because "$&" in a name would be replaced, too.
  const changedBy = live.changedBy.replace("{by}", () => plainLetters(editor, words));
  return { ...live, changed: editor === reviewer ? live.changed : changedBy };
}

/** The facts that the page was made with, for the script to compare; and its words. */
export const LiveBanner = ({ view, action, live }: LiveBannerProps) => {
  const words = useWords();
  return (
    <div
      id="live"
      class="live"
      role="status"
      data-page={JSON.stringify({
        live,
        page: action,
        version: view.version,
        digest: view.digest,
        next: view.next?.kind ?? null,
        votes: view.state.kind === "voted" ? view.state.votes : 0,
        hasVoted: (view.ownVote ?? null) !== null,
        voters: (view.votes ?? []).map(({ by }) => plainLetters(by, words)),
        words: liveWords(view, words),
      })}
    ></div>
  );
};

/** The way on, just above the buttons. What happened is said once, in the banner. */
export const LiveCopy = () => <div class="live"></div>;
