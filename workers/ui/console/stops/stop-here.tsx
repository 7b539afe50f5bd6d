// Whether one server or key is stopped, beside it on a page of its own, with the form that stops it
// and the one that resumes it.

import type { Stop } from "../../../../shared/policy/stops.ts";
import type { Stopped } from "../../../endpoints/admin/answers/stops.ts";
import { paths } from "../../../platform/urls.ts";
import { Time } from "../../names.tsx";
import { Name } from "../../outside-text.tsx";
import { fill } from "../../sentence.tsx";
import { type Visit, useTexts } from "../page.ts";
import { Confirm, Note, Press, Tag } from "../pieces.tsx";
import { stopsWords } from "./stops-words.ts";

/** What may be stopped beside what else is. */
type Stoppable = Extract<Stop, { readonly scope: "server" | "key" }>;

export const stopsOf = async ({ api }: Visit): Promise<readonly Stopped[]> => (await api.read(paths.admin.stops)).stops;

const isSame = (one: Stopped, other: Stoppable): boolean => one.scope === other.scope && nameIn(one) === nameIn(other);

function nameIn(stop: Stoppable | Stopped): string {
  if (stop.scope === "tool") return stop.tool;
  return stop.scope === "everything" ? "" : stop.scope === "server" ? stop.server : stop.key;
}

/** The path of a stop under /admin/stops, which also is the value of the forms' field. */
export const stopPath = (stop: Stoppable | Stopped): string => {
  if (stop.scope === "everything") return "everything";
  if (stop.scope === "tool") return `tools/${stop.id}`;
  return `${stop.scope === "server" ? "servers" : "keys"}/${encodeURIComponent(nameIn(stop))}`;
};

type Here = {
  readonly visit: Visit;
  readonly stop: Stoppable;
  readonly stops: readonly Stopped[];
};

/** That it is stopped, since when; nothing where it is not. */
export const StoppedTag = ({ visit, stop, stops }: Here) => {
  const texts = useTexts(stopsWords);
  const found = stops.find((each) => isSame(each, stop));
  return found === undefined ? null : (
    <Tag of="bad" icon="cross">
      <span>{fill(texts.stoppedSince, { at: <Time at={Date.parse(found.at)} now={visit.now} /> })}</span>
    </Tag>
  );
};

type StopHereProps = Here & {
  /** Its name for people. */
  readonly called: string;
  /** The page that this is on, to which the forms come back. */
  readonly from: string;
  /** The buttons have the name on them: what they are for does not stand beside them. */
  readonly isNamed?: boolean;
};

/** Stops it after a question, or resumes it. */
export const StopHere = ({ visit, stop, stops, called, from, isNamed = false }: StopHereProps) => {
  const texts = useTexts(stopsWords);
  if (!visit.may("decide")) return null;
  const [path, isStopped] = [stopPath(stop), stops.some((each) => isSame(each, stop))];
  if (!isStopped)
    return (
      <Confirm
        visit={visit}
        to="stops"
        fields={{ stop: path, from }}
        ask={isNamed ? texts.stopIt.replace("{name}", () => called) : texts.stop}
        about={isNamed ? "" : called}
        says={texts.says}
        button={texts.stopIt.replace("{name}", () => called)}
      />
    );
  return (
    <Press visit={visit} to={visit.at("stops")} fields={{ resume: path, from }} {...(isNamed ? {} : { about: called })}>
      {isNamed ? texts.resumeIt.replace("{name}", () => called) : texts.resume}
    </Press>
  );
};

/** What was done on this page, after a form of it. */
export const StopNote = ({ visit }: { visit: Visit }) => {
  const texts = useTexts(stopsWords);
  const done = visit.query.get("stop");
  return done === "stopped" || done === "resumed" ? <Note of="ok">{texts.done[done]}</Note> : null;
};

type ToolProps = { readonly stop: Extract<Stopped, { scope: "tool" }>; readonly called: string | undefined };

const ToolName = ({ stop: { server, tool, key, of, by }, called }: ToolProps) => {
  const texts = useTexts(stopsWords);
  const [where, name] = [<Name value={server} />, <Name value={tool} />];
  return <>{fill(texts.tool[of], { tool: name, server: where, key: <Name value={called ?? key} />, by: <Name value={by} /> })}</>;
};

export const StopName = ({ stop, called }: { stop: Stopped; called?: string | undefined }) => {
  const texts = useTexts(stopsWords);
  if (stop.scope === "everything") return <>{texts.everything}</>;
  if (stop.scope === "tool") return <ToolName stop={stop} called={called} />;
  const name = <Name value={called ?? nameIn(stop)} />;
  return <>{fill(stop.scope === "server" ? texts.server : texts.key, { name })}</>;
};
