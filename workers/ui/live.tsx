// Where the page's script says that somebody else decided, or changed the content meanwhile. Empty until then; nothing on the page
// depends on it.

import type { ReviewView } from "../../shared/review/view.ts";
import { useWords } from "./language.ts";

type LiveBannerProps = { view: ReviewView; action: string; live: string };

/** The facts that the page was made with, for the script to compare; and its words. */
export const LiveBanner = ({ view, action, live }: LiveBannerProps) => {
  const { page } = useWords();
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
        words: page.live,
      })}
    ></div>
  );
};

/** The same words just above the buttons. Not a live region, because they would be read out twice. */
export const LiveCopy = () => <div class="live"></div>;
