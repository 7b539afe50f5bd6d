// Where the page's script says that another reviewer decided, voted or changed the content meanwhile. Empty until then; nothing on the page
// depends on it.

import type { ReviewView } from "../../shared/review/view.ts";
import { pageWords as words } from "../../shared/channels/words/words.ts";

export { liveScript } from "./live-script.ts";

type LiveBannerProps = { view: ReviewView; action: string; live: string };

/** The facts that the page was made with, for the script to compare; and its words. */
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

/** The same words just above the buttons. Not a live region, because they would be read out twice. */
export const LiveCopy = () => <div class="live"></div>;
