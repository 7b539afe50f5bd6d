// The kill switch: what is stopped, and the forms that stop and resume. A key is chosen from those
// that there are. A server may have a name that only its host knows, so it is typed, with the known
// ones to choose from.

import type { Child } from "hono/jsx";
import { isLoopbackHost } from "../../../../shared/this-machine.ts";
import type { Stopped } from "../../../endpoints/admin/answers/stops.ts";
import { paths } from "../../../platform/urls.ts";
import { Time } from "../../names.tsx";
import { Name } from "../../outside-text.tsx";
import { fill } from "../../sentence.tsx";
import type { ApiError } from "../api.ts";
import { readDocument } from "../documents/document-api.ts";
import { entriesIn } from "../entries-page.tsx";
import { Input, Select, untyped } from "../fields.tsx";
import { type ConsolePage, type PageAnswer, type Visit, useTexts } from "../page.ts";
import { Confirm, Empty, Note, Press, Refused } from "../pieces.tsx";
import { FormToken } from "../shell.tsx";
import { StopName, stopPath, stopsOf } from "./stop-here.tsx";
import { stopsWords } from "./stops-words.ts";

type Key = { readonly id: string; readonly name: string };

/** What there is to stop. `names`: of keys by their ids, also of revoked ones. */
export type StopTargets = {
  readonly servers: readonly string[];
  readonly keys: readonly Key[];
  readonly names: ReadonlyMap<string, string>;
};

/**
 * The key for development, which is in no list, and whose id is always the same. No gateway but a
 * local one accepts it.
 */
const devKey: Key = { id: "key_dev", name: "DEV_API_KEY" };

export async function knownThings(visit: Visit): Promise<StopTargets> {
  const [servers, used, { keys }] = await Promise.all([
    readDocument(visit, "servers"),
    visit.api.read(paths.admin.sunset, { query: { limit: "200" } }),
    visit.api.read(paths.admin.keys),
  ]);
  const isLocal = isLoopbackHost(new URL(visit.publicUrl).hostname);
  return {
    servers: [...new Set([...Object.keys(entriesIn(servers, "servers")), ...used.servers.map(({ server }) => server)])].toSorted(),
    keys: [...keys.filter(({ revokedAt }) => revokedAt === null), ...(isLocal ? [devKey] : [])],
    names: new Map([...keys, devKey].map(({ id, name }) => [id, name])),
  };
}

const StoppedNow = ({ visit, stops, names }: { visit: Visit; stops: readonly Stopped[]; names: StopTargets["names"] }) => {
  const texts = useTexts(stopsWords);
  return (
    <section class="card" aria-labelledby="now">
      <h2 id="now">{texts.now}</h2>
      {stops.length === 0 ? (
        <Empty>{texts.none}</Empty>
      ) : (
        <ul class="rank">
          {stops.map((stop) => {
            const called = "key" in stop ? names.get(stop.key) : undefined;
            return (
              <li class="line">
                <span>
                  <StopName stop={stop} called={called} />{" "}
                  <span class="soft">{fill(texts.since, { at: <Time at={Date.parse(stop.at)} now={visit.now} /> })}</span>
                  {stop.scope === "key" ? <div class="digest soft">{stop.key}</div> : null}
                </span>
                {visit.may("decide") ? (
                  <Press
                    visit={visit}
                    to={visit.at("stops")}
                    fields={{ resume: stopPath(stop) }}
                    about={<StopName stop={stop} called={called} />}
                  >
                    {texts.resume}
                  </Press>
                ) : null}
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
};

type StopOneProps = {
  readonly visit: Visit;
  readonly kind: "servers" | "keys";
  readonly title: string;
  readonly children: Child;
};

const StopOne = ({ visit, kind, title, children }: StopOneProps) => {
  const texts = useTexts(stopsWords);
  return (
    <form class="card form" method="post" action={visit.at("stops")} aria-labelledby={`one-of-${kind}`}>
      <h2 id={`one-of-${kind}`}>{title}</h2>
      <FormToken visit={visit} />
      <input type="hidden" name="kind" value={kind} />
      <p>{texts.says}</p>
      {children}
      <button class="btn no" type="submit">
        {texts.stop}
      </button>
    </form>
  );
};

const StopForms = ({ visit, servers, keys }: { visit: Visit } & Omit<StopTargets, "names">) => {
  const texts = useTexts(stopsWords);
  const options = [["", texts.choose] as const, ...keys.map(({ id, name }) => [id, `${name} (${id})`] as const)];
  return (
    <>
      <StopOne visit={visit} kind="servers" title={texts.stopServer}>
        <Input typed={untyped} name="name" label={texts.serverName} hint={texts.serverHint} offers={servers} required maxlength={512} />
      </StopOne>
      <StopOne visit={visit} kind="keys" title={texts.stopKey}>
        <Select typed={untyped} name="name" id="key" label={texts.keyName} options={options} required />
      </StopOne>
    </>
  );
};

type Said = { readonly failure?: ApiError; readonly isMissing?: boolean };

/** What was done; and where a server was stopped that nobody knows, that its name may be wrong. */
const Done = ({ visit, known }: { visit: Visit; known: StopTargets }) => {
  const texts = useTexts(stopsWords);
  const [done, server] = [visit.query.get("done"), visit.query.get("server")];
  if (done !== "stopped" && done !== "resumed") return null;
  return (
    <>
      <Note of="ok">{texts.done[done]}</Note>
      {done === "stopped" && server !== null && !known.servers.includes(server) ? (
        <Note of="mind">{fill(texts.unknownServer, { name: <Name value={server} /> })}</Note>
      ) : null}
    </>
  );
};

async function renderStops(visit: Visit, { failure, isMissing = false }: Said = {}): Promise<PageAnswer> {
  const [stops, known] = await Promise.all([stopsOf(visit), knownThings(visit)]);
  const left = {
    servers: known.servers.filter((server) => !stops.some((stop) => stop.scope === "server" && stop.server === server)),
    keys: known.keys.filter(({ id }) => !stops.some((stop) => stop.scope === "key" && stop.key === id)),
  };
  const texts = stopsWords[visit.language];
  return {
    kind: "page",
    title: texts.title,
    ...(isMissing || failure !== undefined ? { status: 422 } : {}),
    body: () => (
      <>
        <h1>{texts.title}</h1>
        <p>{texts.lead}</p>
        <Done visit={visit} known={known} />
        {isMissing ? <Note of="bad">{texts.missing}</Note> : null}
        {failure === undefined ? null : <Refused failure={failure} />}
        <StoppedNow visit={visit} stops={stops} names={known.names} />
        {visit.may("decide") ? (
          <>
            <StopForms visit={visit} {...left} />
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

/** The path that a form of this page names, or null where it names none. */
function pathIn(form: URLSearchParams): string | null {
  const kind = form.get("kind");
  const name = (form.get("name") ?? "").trim();
  if (kind === "everything") return "everything";
  return (kind === "servers" || kind === "keys") && name !== "" ? `${kind}/${encodeURIComponent(name)}` : null;
}

/** The pages that have forms of this one. */
const comesFrom = /^(?:keys(?:\/key_[\w-]+)?|servers(?:\/\w[\w.-]*)?|requests\/run_[\w-]+)$/;

async function act(visit: Visit): Promise<PageAnswer> {
  const { form, api } = visit;
  const resumed = form.get("resume");
  const path = resumed ?? form.get("stop") ?? pathIn(form);
  if (path === null) return renderStops(visit, { isMissing: true });
  const done = await api.send(resumed === null ? "PUT" : "DELETE", `${paths.admin.stops}/${path}`);
  if (!done.ok) return renderStops(visit, { failure: done.error });
  const what = resumed === null ? "stopped" : "resumed";
  const from = form.get("from") ?? "";
  if (comesFrom.test(from)) return { kind: "redirect", to: visit.at(from, { stop: what }) };
  return {
    kind: "redirect",
    to: visit.at("stops", { done: what, server: form.get("kind") === "servers" ? (form.get("name") ?? "").trim() : null }),
  };
}

export const stopsPage: ConsolePage = { path: "stops", get: (visit) => renderStops(visit), post: act };
