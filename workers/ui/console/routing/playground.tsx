// The playground: a request in, and which models would answer it, in which order, with which score
// and why. No model is called.

import type { ExplainedModel } from "../../../../shared/routing/explain.ts";
import { axes } from "../../../../shared/routing/rank.ts";
import type { ListedKey } from "../../../endpoints/admin/answers/keys.ts";
import type { Explanation } from "../../../endpoints/admin/answers/routing.ts";
import { paths } from "../../../platform/urls.ts";
import { Icon } from "../../icons.tsx";
import { useWords } from "../../language.ts";
import { Name, Plain } from "../../outside-text.tsx";
import { fill, fillText } from "../../sentence.tsx";
import type { ApiError } from "../api.ts";
import { Meter } from "../chart.tsx";
import { type Visit, useTexts } from "../page.ts";
import { usePhrases } from "../phrases.ts";
import { Empty, Names, Note, Refused } from "../pieces.tsx";
import { Input, Select, type Typed, filledWith } from "../fields.tsx";
import { FormToken } from "../shell.tsx";
import { type Entered, enteredIn, needs, questionOf } from "./playground-request.ts";
import { readKeys } from "./routing-api.ts";
import { routingWords } from "./routing-words.ts";
import { whyText } from "../../../../shared/routing/choose.ts";

/** A table that is not saved, as JSON, and its value. */
export type TableDraft = { readonly text: string; readonly value: unknown; readonly version: number };

type Played = {
  readonly entered: Entered;
  readonly keys: readonly ListedKey[];
  readonly draft: TableDraft | null;
  readonly result:
    | { readonly kind: "explained"; readonly explained: Explanation }
    | { readonly kind: "wrong" }
    | { readonly kind: "refused"; readonly failure: ApiError };
};

/** Asks what would be chosen for what was entered; for what is there at first where nothing was. */
export async function play(visit: Visit, draft: TableDraft | null): Promise<Played> {
  const entered = enteredIn(visit.form);
  const keys = await readKeys(visit);
  const question = questionOf(entered, keys, draft?.value);
  if (question === null) return { entered, keys, draft, result: { kind: "wrong" } };
  const answer = await visit.api.send("POST", paths.admin.explain, { body: question });
  if (!answer.ok) return { entered, keys, draft, result: { kind: "refused", failure: answer.error } };
  return { entered, keys, draft, result: { kind: "explained", explained: answer.value } };
}

const Slider = ({ axis, value }: { axis: (typeof axes)[number]; value: string }) => {
  const { play: texts } = useTexts(routingWords);
  const shown = Number(value) >= 0 && Number(value) <= 1 ? Number(value) : 0;
  return (
    <div class="slide">
      <label for={axis}>{texts.axes[axis]}</label>
      <output for={axis} class="num">
        {shown.toFixed(2)}
      </output>
      <input type="range" id={axis} name={axis} min="0" max="1" step="0.05" value={String(shown)} />
    </div>
  );
};

const Choices = ({ typed, keys }: { typed: Typed; keys: readonly ListedKey[] }) => {
  const { play: texts } = useTexts(routingWords);
  const isOpen = ["key", "server", "named"].some((name) => typed.values[name]?.[0] !== "") || typed.values["task"]?.[0] !== "chat";
  const keyOptions = [["", texts.anyKey] as const, ...keys.map(({ id, name }) => [id, name] as const)];
  return (
    <details {...(isOpen ? { open: true } : {})}>
      <summary class="chev">{texts.more}</summary>
      <div class="form">
        <Select typed={typed} name="key" label={texts.key} options={keyOptions} />
        <Input typed={typed} name="server" label={texts.server} hint={texts.serverHelp} maxlength={512} />
        <Select typed={typed} name="task" label={texts.task} options={Object.entries(texts.tasks)} />
        <Input typed={typed} name="named" label={texts.named} hint={texts.namedHelp} maxlength={256} />
      </div>
    </details>
  );
};

const Draft = ({ visit, draft }: { visit: Visit; draft: TableDraft }) => {
  const { play: texts } = useTexts(routingWords);
  return (
    <>
      <Note of="mind">
        <p>{texts.draft}</p>
      </Note>
      <input type="hidden" name="version" value={draft.version} />
      <details>
        <summary class="chev">{texts.draftText}</summary>
        <textarea class="json field" name="text" rows={12} spellcheck={false} aria-label={texts.draftText}>
          {`\n${draft.text}`}
        </textarea>
      </details>
      <button class="btn" type="submit" formaction={visit.at("documents/routing")} name="do" value="check">
        {texts.draftBack}
      </button>
    </>
  );
};

export const PlayForm = ({ visit, played }: { visit: Visit; played: Played }) => {
  const { play: texts } = useTexts(routingWords);
  const { entered, draft } = played;
  const { priorities: _axes, needs: _needs, ...texted } = entered;
  const typed = filledWith(texted);
  return (
    <form class="card form" method="post" action={visit.at("routing")} aria-labelledby="play" data-part="play">
      <h2 id="play">{texts.title}</h2>
      <FormToken visit={visit} />
      {draft === null ? null : <Draft visit={visit} draft={draft} />}
      <Input typed={typed} name="hints" label={texts.hints} hint={texts.hintsHelp} maxlength={2_000} />
      <fieldset aria-describedby="priorities-help">
        <legend class="label">{texts.priorities}</legend>
        {axes.map((axis) => (
          <Slider axis={axis} value={entered.priorities[axis]} />
        ))}
        <p class="hint" id="priorities-help">
          {texts.prioritiesHelp}
        </p>
      </fieldset>
      <div class="two">
        <Input typed={typed} name="maxTokens" label={texts.maxTokens} inputmode="numeric" maxlength={9} />
        <Input typed={typed} name="prompt" label={texts.prompt} inputmode="numeric" maxlength={9} />
      </div>
      <fieldset>
        <legend class="label">{texts.needs}</legend>
        {needs.map((need) => (
          <label class="check">
            <input type="checkbox" name="needs" value={need} {...(entered.needs.includes(need) ? { checked: true } : {})} />
            {texts[need]}
          </label>
        ))}
      </fieldset>
      <Choices typed={typed} keys={played.keys} />
      <button class="btn yes" type="submit" name="do" value="play">
        {texts.button}
      </button>
    </form>
  );
};

const counted = (texts: { readonly one: string; readonly other: string }, n: number): string =>
  n === 1 ? texts.one : texts.other.replace("{n}", String(n));

const Candidate = ({ model, most }: { model: ExplainedModel; most: number }) => {
  const { play: texts } = useTexts(routingWords);
  const { page, review } = useWords();
  const width = most === 0 ? 0 : Math.min(100, Math.round((model.score / most) * 100));
  const why = whyText({ tier: model.tier, terms: model.terms, points: Math.round(model.score * 1e12) }, review.why);
  const cost = model.worstCostUsd === 0 ? page.dollars(0) : fillText(texts.upTo, { cost: page.dollars(model.worstCostUsd) });
  return (
    <li>
      <div class="line">
        <span>
          <b>{model.place}</b> <Name value={model.model} />{" "}
          <span class="soft">{fill(texts.provider, { provider: <Name value={model.provider} /> })}</span>
        </span>
        {model.terms.length === 0 ? null : <b class="num">{model.score.toFixed(3)}</b>}
      </div>
      {model.terms.length === 0 ? null : <Meter parts={[{ of: model.place === 1 ? "b1" : "b2", count: width }]} />}
      <p class="soft">
        <Plain value={why} /> {cost}
      </p>
    </li>
  );
};

/** Each reason once, with the models that it holds for, in the table's order. */
const byReason = (passedOver: Explanation["passedOver"]) => [...Map.groupBy(passedOver, ({ reason }) => reason).values()];

const Ranking = ({ explained, entered }: { explained: Explanation; entered: Entered }) => {
  const { play: texts } = useTexts(routingWords);
  const inWords = usePhrases();
  const { ranked, passedOver, hintsIgnored } = explained;
  const most = (ranked[0]?.terms ?? []).reduce((sum, { priority }) => sum + priority, 0);
  return (
    <>
      <section class="card" aria-labelledby="can">
        <h2 id="can">{ranked.length === 0 ? texts.none : counted(texts.can, ranked.length)}</h2>
        <ol class="rank">
          {ranked.map((model) => (
            <Candidate model={model} most={most} />
          ))}
        </ol>
        {ranked.length < 2 ? null : <p class="soft">{texts.first}</p>}
        {entered.hints === "" || entered.named !== "" ? null : <p class="soft">{texts.tiers}</p>}
        {hintsIgnored === 0 || entered.named !== "" ? null : <p class="soft">{fill(texts.ignored, { n: hintsIgnored })}</p>}
      </section>
      {passedOver.length === 0 ? null : (
        <section class="card stack" aria-labelledby="cannot">
          <h2 id="cannot">{counted(texts.canNot, passedOver.length)}</h2>
          <ul class="findings">
            {byReason(passedOver).map((alike) => (
              <li>
                <Icon of="cross" />
                <span>
                  <Names of={alike.map(({ model }) => model)} />:{" "}
                  <Plain value={alike.map(({ why, reason }) => inWords(why, reason))[0] ?? ""} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
};

/** What the page's script renews. */
export const PlayResult = ({ played: { result, entered } }: { played: Played }) => {
  const { play: texts } = useTexts(routingWords);
  return (
    <div id="ranking" class="grid" aria-live="polite">
      {result.kind === "explained" ? <Ranking explained={result.explained} entered={entered} /> : null}
      {result.kind === "wrong" ? <Empty>{texts.wrong}</Empty> : null}
      {result.kind === "refused" ? <Refused failure={result.failure} /> : null}
    </div>
  );
};

/** The number beside a slider follows it. */
export const playScript = `
(() => {
  "use strict";
  for (const slider of document.querySelectorAll(".slide input[type=range]"))
    slider.addEventListener("input", () => {
      slider.parentElement.querySelector("output").value = Number(slider.value).toFixed(2);
    });
})();
`;
