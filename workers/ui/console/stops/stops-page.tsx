// The kill switch: what is stopped, and the forms that stop and resume.

import type { Stop } from "../../../../shared/policy/stops.ts";
import { Time } from "../../names.tsx";
import { Name } from "../../outside-text.tsx";
import { fill } from "../../sentence.tsx";
import type { ApiError } from "../api.ts";
import { type ConsolePage, type Shown, type Visit, useTexts } from "../page.ts";
import { Confirm, Empty, Note, Refused } from "../pieces.tsx";
import { FormToken } from "../shell.tsx";
import { stopsWords } from "./stops-words.ts";

/** As GET /admin/stops has it. */
type Stopped = Stop & { readonly at: string };
/** The path of a stop under /admin/stops, which also is the value of the forms' field. */
type StopPath = string;

const pathOf = (stop: Stop): StopPath => {
  if (stop.scope === "everything") return "everything";
  return stop.scope === "server" ? `servers/${encodeURIComponent(stop.server)}` : `keys/${encodeURIComponent(stop.key)}`;
};

const StopName = ({ stop }: { stop: Stop }) => {
  const texts = useTexts(stopsWords);
  if (stop.scope === "everything") return <>{texts.everything}</>;
  return stop.scope === "server" ? (
    <>{fill(texts.server, { name: <Name value={stop.server} /> })}</>
  ) : (
    <>{fill(texts.key, { name: <Name value={stop.key} /> })}</>
  );
};

const StoppedNow = ({ visit, stops }: { visit: Visit; stops: readonly Stopped[] }) => {
  const texts = useTexts(stopsWords);
  return (
    <section class="card" aria-labelledby="now">
      <h2 id="now">{texts.now}</h2>
      {stops.length === 0 ? (
        <Empty>{texts.none}</Empty>
      ) : (
        <ul class="rank">
          {stops.map((stop) => (
            <li class="line">
              <span>
                <StopName stop={stop} />{" "}
                <span class="soft">{fill(texts.since, { at: <Time at={Date.parse(stop.at)} now={visit.now} /> })}</span>
              </span>
              {visit.may("decide") ? (
                <form method="post" action={visit.at("stops")}>
                  <FormToken visit={visit} />
                  <input type="hidden" name="resume" value={pathOf(stop)} />
                  <button class="btn small" type="submit">
                    {texts.resume}
                    <span class="sr">
                      {" "}
                      <StopName stop={stop} />
                    </span>
                  </button>
                </form>
              ) : null}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
};

const StopOne = ({ visit }: { visit: Visit }) => {
  const texts = useTexts(stopsWords);
  return (
    <form class="card form" method="post" action={visit.at("stops")} aria-labelledby="one">
      <h2 id="one">{texts.stopOne}</h2>
      <FormToken visit={visit} />
      <p>{texts.says}</p>
      <div>
        <label for="kind">{texts.kind}</label>
        <select id="kind" name="kind">
          <option value="servers">{texts.kinds.servers}</option>
          <option value="keys">{texts.kinds.keys}</option>
        </select>
      </div>
      <div>
        <label for="name">{texts.name}</label>
        <input id="name" name="name" required maxlength={512} autocomplete="off" />
      </div>
      <button class="btn no" type="submit">
        {texts.stop}
      </button>
    </form>
  );
};

type Said = { readonly failure?: ApiError; readonly isMissing?: boolean };

async function stopsShown(visit: Visit, { failure, isMissing = false }: Said = {}): Promise<Shown> {
  const { stops } = await visit.api.read<{ readonly stops: readonly Stopped[] }>("/admin/stops");
  const texts = stopsWords[visit.language];
  const done = visit.query.get("done");
  return {
    kind: "page",
    title: texts.title,
    ...(isMissing || failure !== undefined ? { status: 422 } : {}),
    body: () => (
      <>
        <h1>{texts.title}</h1>
        <p>{texts.lead}</p>
        {done === "stopped" || done === "resumed" ? <Note of="ok">{texts.done[done]}</Note> : null}
        {isMissing ? <Note of="bad">{texts.missing}</Note> : null}
        {failure === undefined ? null : <Refused failure={failure} />}
        <StoppedNow visit={visit} stops={stops} />
        {visit.may("decide") ? (
          <>
            <StopOne visit={visit} />
            <Confirm
              visit={visit}
              to="stops"
              fields={{ kind: "everything" }}
              ask={texts.stopAll}
              about=""
              says={texts.stopAllSays}
              button={texts.stopAll}
            />
          </>
        ) : null}
      </>
    ),
  };
}

/** The path that a form names, or null where it names none. */
function pathIn(form: URLSearchParams): StopPath | null {
  const kind = form.get("kind");
  const name = (form.get("name") ?? "").trim();
  if (kind === "everything") return "everything";
  return (kind === "servers" || kind === "keys") && name !== "" ? `${kind}/${encodeURIComponent(name)}` : null;
}

async function act(visit: Visit): Promise<Shown> {
  const resumed = visit.form.get("resume");
  const path = resumed ?? pathIn(visit.form);
  if (path === null) return stopsShown(visit, { isMissing: true });
  const done = await visit.api.send(resumed === null ? "PUT" : "DELETE", `/admin/stops/${path}`);
  if (!done.ok) return stopsShown(visit, { failure: done.error });
  return { kind: "redirect", to: visit.at("stops", { done: resumed === null ? "stopped" : "resumed" }) };
}

export const stopsPage: ConsolePage = { path: "stops", get: (visit) => stopsShown(visit), post: act };
