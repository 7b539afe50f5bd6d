// VS Code's `chat.mcp.serverSampling`, pasted: the rules that come of it, and what could not be
// carried over.

import type { Draft } from "../../../../shared/policy/draft.ts";
import type { ImportedServer, NotCarried } from "../../../../shared/policy/vscode-sampling.ts";
import type { Result } from "../../../../shared/result.ts";
import { Name } from "../../outside-text.tsx";
import { fill } from "../../sentence.tsx";
import { type Visit, useTexts } from "../page.ts";
import { Note } from "../pieces.tsx";
import { policyWords } from "./policy-words.ts";
import { RuleText } from "./rule-text.tsx";

export type Imported = Result<readonly ImportedServer[], "notJson" | "noServers">;

const Left = ({ left }: { left: NotCarried }) => {
  const words = useTexts(policyWords).import.left;
  const values = {
    ...("member" in left ? { member: <Name value={left.member} /> } : {}),
    ...("model" in left ? { model: <Name value={left.model} /> } : {}),
    ...("label" in left ? { label: <Name value={left.label} /> } : {}),
  };
  return <>{fill(words[left.kind], values)}</>;
};

const Server = ({ of: { server, rules, notCarried }, draft }: { of: ImportedServer; draft: Draft }) => {
  const texts = useTexts(policyWords);
  return (
    <li>
      <h3>
        <Name value={server} />
      </h3>
      {rules.length === 0 ? <p>{texts.import.noRules}</p> : null}
      <ul>
        {rules.map((rule) => (
          <li>
            <RuleText rule={{ ...rule }} draft={draft} />
          </li>
        ))}
      </ul>
      {notCarried.length === 0 ? null : (
        <p class="soft">
          {texts.import.notCarried} {notCarried.map((left, index) => [index === 0 ? "" : "; ", <Left left={left} />])}
        </p>
      )}
    </li>
  );
};

type ImportProps = { readonly visit: Visit; readonly draft: Draft; readonly pasted: string; readonly imported: Imported | null };

export const ImportCard = ({ visit, draft, pasted, imported }: ImportProps) => {
  const words = useTexts(policyWords).import;
  const at = `${visit.at("policy")}#import`;
  const count = imported?.ok ? imported.value.reduce((sum, { rules }) => sum + rules.length, 0) : 0;
  return (
    <details class="card" id="import" open={imported !== null}>
      <summary class="chev">
        <h2>{words.title}</h2>
      </summary>
      <div class="form">
        <p>{words.lead}</p>
        <div>
          <label for="pasted">{words.text}</label>
          <textarea class="field short-json" id="pasted" name="pasted" rows={6} spellcheck={false}>
            {pasted}
          </textarea>
        </div>
        <button class="btn" type="submit" name="do" value="import" formaction={at}>
          {words.preview}
        </button>
        {imported === null ? null : imported.ok ? (
          <>
            <ul class="rank">
              {imported.value.map((server) => (
                <Server of={server} draft={draft} />
              ))}
            </ul>
            {count === 0 ? null : (
              <button class="btn yes" type="submit" name="do" value="import-add">
                {fill(words.add, { count })}
              </button>
            )}
          </>
        ) : (
          <Note of="bad">{words[imported.error]}</Note>
        )}
      </div>
    </details>
  );
};
