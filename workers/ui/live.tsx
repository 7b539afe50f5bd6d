// The places where a page that can run scripts says that somebody else decided or changed the content meanwhile.
// They are empty until then; nothing on the page needs them.

import type { ReviewView } from "../../shared/review/view.ts";
import { pageWords as words } from "../../shared/channels/words/words.ts";

export { liveScript } from "./live-script.ts";

type LiveBannerProps = { view: ReviewView; action: string; live: string };

/** What the page was made with, for the script to compare; and the words, so that the script has none of its own. */
export const LiveBanner = ({ view, action, live }: LiveBannerProps) => (
  <div
    id="live"
    class="live"
    role="status"
    data-page={JSON.stringify({
      live,
      page: action,
      version: view.version,
      digest: view.digest,
      votes: view.state.kind === "voted" ? view.state.votes : 0,
      words: words.live,
    })}
  ></div>
);

/** The same words again just above the buttons. Not a live region: they would be read out twice. */
export const LiveCopy = () => <div class="live"></div>;
