// Where one can go from a page of a document; `page`: the one that shows it in its own way.

import { fill } from "../../sentence.tsx";
import { type Visit, useTexts } from "../page.ts";
import type { DocumentName } from "../../../stubs/config-calls.ts";
import { documentsWords } from "./documents-words.ts";
import { LinkButton } from "../pieces.tsx";

/** The page that shows the document in its own way; null where there is none. */
const pageOf: Readonly<Record<DocumentName, string | null>> = {
  routing: "routing",
  policy: "policy",
  servers: "servers",
  budgets: "budgets",
  issuers: null,
};

type TrailProps = { readonly visit: Visit; readonly name: DocumentName; readonly at: "page" | "editor" | "versions" | "version" };

export const DocumentTrail = ({ visit, name, at }: TrailProps) => {
  const texts = useTexts(documentsWords);
  const page = at === "page" ? null : pageOf[name];
  return (
    <div class="actions">
      {page === null ? null : <LinkButton to={visit.at(page)}>{fill(texts.backTo, { name: texts.names[name] })}</LinkButton>}
      {at === "editor" ? null : <LinkButton to={visit.at(`documents/${name}`)}>{visit.may("change") ? texts.edit : texts.read}</LinkButton>}
      {at === "versions" ? null : <LinkButton to={visit.at(`documents/${name}/versions`)}>{texts.versions}</LinkButton>}
    </div>
  );
};
