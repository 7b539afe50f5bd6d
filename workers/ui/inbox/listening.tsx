// Where the inbox's script says that the list has changed. Empty until then; nothing on the page
// depends on it.

import type { InboxMark } from "../document.tsx";
import { useWords } from "../language.ts";

type ListeningProps = {
  /** The WebSocket's path. */
  readonly live: string;
  /** This page's own path. */
  readonly page: string;
  /** How many waited when the page was made. */
  readonly count: InboxMark["count"];
};

export const Listening = ({ live, page, count }: ListeningProps) => {
  const { inbox, page: words } = useWords();
  const { heading, none, live: said } = inbox.list;
  return (
    <div
      id="inbox-live"
      class="live"
      role="status"
      data-page={JSON.stringify({ live, page, count, lang: words.lang, link: inbox.link, heading, none, words: said })}
    ></div>
  );
};
