// The menu that Ctrl K opens over any page of the console, and the list of its keys. The menu is a
// combobox: the field keeps the focus, and the option that Enter opens is its active descendant.
// Without scripts the link beside it leads to the page that finds the same.

import { type Visit, useTexts } from "../page.ts";
import { KeysHelp } from "../../keys-help.tsx";
import { findWords } from "./find-words.ts";

export const FindLink = ({ visit }: { visit: Visit }) => {
  const { title, open } = useTexts(findWords);
  return (
    <a class="act" id="find-link" href={visit.at("find")} title={open}>
      {title}
    </a>
  );
};

export const FindMenu = ({ visit }: { visit: Visit }) => {
  const texts = useTexts(findWords);
  return (
    <dialog class="help menu" id="menu" aria-label={texts.title} data-options={visit.at("find", { part: "options" })}>
      <input
        class="field"
        type="text"
        role="combobox"
        aria-label={texts.label}
        aria-expanded="true"
        aria-controls="found"
        aria-autocomplete="list"
        maxlength={200}
        autocomplete="off"
        spellcheck={false}
      />
      <ul id="found" role="listbox" aria-label={texts.results}>
        <li role="option" id="found-requests" data-to={visit.at("requests")} aria-selected="false" hidden>
          {texts.requests}
        </li>
      </ul>
      <p class="soft" role="status" data-none={texts.none} />
    </dialog>
  );
};

export const ConsoleKeys = () => {
  const texts = useTexts(findWords);
  return <KeysHelp heading={texts.keysTitle} keys={texts.keys} />;
};
