// The links between the pages of a list, where it has more than one.

import { consoleWords } from "./console-words.ts";
import { useTexts } from "./page.ts";

/** `newer`, `older`: where they lead; null where there is nothing there. */
export const Pager = ({ newer, older }: { newer: string | null; older: string | null }) => {
  const { earlier, later } = useTexts(consoleWords);
  if (newer === null && older === null) return null;
  return (
    <p class="keyline">
      {newer === null ? null : (
        <a class="btn small" href={newer}>
          {later}
        </a>
      )}
      {older === null ? null : (
        <a class="btn small" href={older}>
          {earlier}
        </a>
      )}
    </p>
  );
};
