// The links from a page to the JSON editor and the versions of the document that it shows.

import { type Visit, useTexts } from "../page.ts";
import type { DocumentName } from "../../../stubs/config-calls.ts";
import { documentsWords } from "./documents-words.ts";

/** To stand beside a page's heading. */
export const DocumentLinks = ({ visit, name }: { visit: Visit; name: DocumentName }) => {
  const texts = useTexts(documentsWords);
  return (
    <div class="actions">
      <a class="btn small" href={visit.at(`documents/${name}`)}>
        {texts.edit}
      </a>
      <a class="btn small" href={visit.at(`documents/${name}/versions`)}>
        {texts.versions}
      </a>
    </div>
  );
};
