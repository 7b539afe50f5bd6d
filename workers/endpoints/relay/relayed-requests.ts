// The client's requests that a server is at, as their session knows them: what a server asks on the stand-alone stream can only be told
// by them. A request is in flight from before the server gets it until its answer, its cancellation or the end of its stream.
//
// It costs its session one call before the server is asked and one before the answer passes. Where the entry is `strict`, or sampling is
// not ours, nothing is kept.

import { idKey } from "../../../shared/wire/json-rpc.ts";
import { type Originating, maySample } from "../../../shared/association/relay-association.ts";
import { isOurs } from "../../../shared/relay/capability-2025.ts";
import { sessionStub } from "../../stubs/stubs.ts";
import { originatingKey } from "../../pipeline/sampling-call.ts";
import { type SamplingParts, associationSession } from "./relay-sampling.ts";

type Place = Pick<SamplingParts, "env" | "key" | "server" | "session">;

/** Well below the time after which the session takes a request for lost (`inFlightLeaseMs`). */
const renewMs = 60_000;

/** The requests of one POST, or the one whose stream is resumed. None of its calls throws: the lease sees to what is lost. */
export class InFlight {
  readonly #place: Place;
  /** By the id's key: the request that is sampled for, by its own key. */
  readonly #open: Map<string, string>;
  /** Who renews and gives up: another stream of the same request may have taken it over. */
  readonly #holder = crypto.randomUUID();
  #timer: ReturnType<typeof setInterval> | undefined;

  private constructor(place: Place, requests: readonly Flight[]) {
    this.#place = place;
    this.#open = new Map(requests.map(({ request, serves }) => [idKey(request.id), originatingKey(place.session.server, serves.id)]));
  }

  /** Null where none of them has to be known. Await it before the server can ask. */
  static async open(place: Place, requests: readonly Flight[]): Promise<InFlight | null> {
    const flights = requests.filter(({ serves }) => maySample(serves));
    if (flights.length === 0 || !isTracked(place)) return null;
    const inFlight = new InFlight(place, flights);
    const rows = flights.map(({ request, serves }) => ({
      request: idKey(request.id),
      originating: originatingKey(place.session.server, serves.id),
      named: JSON.stringify(serves),
    }));
    await inFlight.#session().openInFlight(rows, inFlight.#holder);
    return inFlight.#renewed();
  }

  /** A client came back to the stream of a request: where that was not answered meanwhile, it is in flight again. */
  static async resume(place: Place, flight: Flight): Promise<InFlight | null> {
    if (!maySample(flight.serves) || !isTracked(place)) return null;
    const inFlight = new InFlight(place, [flight]);
    await inFlight.#session().resumeInFlight(idKey(flight.request.id), inFlight.#holder);
    return inFlight.#renewed();
  }

  /** These were answered: what was sampled for them is over with them, unless a task goes on in their place. */
  async answered(requests: readonly Originating["id"][], goesOn: boolean): Promise<void> {
    const closed = requests.map(idKey).filter((request) => this.#open.has(request));
    if (closed.length > 0) await this.#close(closed, goesOn);
  }

  /** Whatever there was to say was said: all are answered. */
  async allAnswered(goesOn: boolean): Promise<void> {
    await this.#close([...this.#open.keys()], goesOn);
  }

  /**
   * The stream has ended. `resumable`: its server closed it and the client is to come back for the rest, so the requests stay in flight
   * until the lease is over.
   */
  async streamEnded(resumable: boolean): Promise<void> {
    clearInterval(this.#timer);
    if (this.#open.size === 0 || resumable) return;
    await this.#session()
      .leaveInFlight(this.#holder)
      .catch(() => {});
  }

  async #close(requests: readonly string[], goesOn: boolean): Promise<void> {
    for (const request of requests) this.#open.delete(request);
    if (this.#open.size === 0) clearInterval(this.#timer);
    await this.#session()
      .closeInFlight([...requests], goesOn)
      .catch(() => {});
  }

  #renewed(): this {
    this.#timer = setInterval(
      () =>
        void this.#session()
          .renewInFlight(this.#holder)
          .catch(() => {}),
      renewMs,
    );
    return this;
  }

  #session(): ReturnType<typeof sessionStub> {
    const { env, key, session } = this.#place;
    return sessionStub(env, key.id, associationSession(session));
  }
}

/** A request of the client's, and the one that is sampled for: itself, or for `tasks/result` the one that the task runs for. */
export type Flight = { readonly request: Originating; readonly serves: Originating };

const isTracked = ({ server, session }: Place): boolean => server.association !== "strict" && isOurs(server.mode, session.clientSamples);
