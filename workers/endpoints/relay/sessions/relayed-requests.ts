// The client's requests that are in flight at a server, as their session knows them: a sampling
// request on the stand-alone stream can be associated only by them. A request is in flight from
// before the server gets it until its answer, its cancellation or the end of its stream.
//
// It costs its session one call before the server is asked and one before the answer passes, and a
// write only where the request takes a second or samples. Where the entry is `strict`, or sampling
// is not ours, it costs nothing.

import { jsonOf } from "../../../../shared/json/json-of.ts";
import { idKey } from "../../../../shared/wire/json-rpc.ts";
import { type Originating, countsInFlight } from "../../../../shared/association/relay-association.ts";
import { answeredHere } from "../../../../shared/relay/answered-here.ts";
import { sessionStub } from "../../../stubs/stubs.ts";
import { originatingKey } from "../../../pipeline/incoming/sampling-call.ts";
import { type SamplingContext, associationSession } from "../sampling/relay-sampling.ts";

type RelayContext = Pick<SamplingContext, "env" | "key" | "server" | "session">;

/** Well below the time after which the session counts a request as lost (`inFlightLeaseMs`). */
const renewMs = 60_000;

/**
 * The requests of one POST, or the one whose stream is resumed. None of its calls throws: the lease
 * sees to what is lost.
 */
export class InFlight {
  readonly #context: RelayContext;
  /**
   * The `idKey` of each request in flight, with the `originatingKey` of the request that it serves.
   */
  readonly #open: Map<string, string>;
  /** The lease is this stream's: another stream of the same request may take it over. */
  readonly #holder = crypto.randomUUID();
  #timer: ReturnType<typeof setInterval> | undefined;

  private constructor(context: RelayContext, requests: readonly Flight[]) {
    this.#context = context;
    this.#open = new Map(requests.map(({ request, serves }) => [idKey(request.id), originatingKey(context.session.server, serves.id)]));
  }

  /** Null where none of them is tracked. Await it before the server gets the requests. */
  static async open(context: RelayContext, requests: readonly Flight[]): Promise<InFlight | null> {
    const flights = requests.filter(({ serves }) => countsInFlight(serves));
    if (flights.length === 0 || !isTracked(context)) return null;
    const inFlight = new InFlight(context, flights);
    const rows = flights.map(({ request, serves }) => ({
      request: idKey(request.id),
      originating: originatingKey(context.session.server, serves.id),
      named: jsonOf(serves),
    }));
    await inFlight.#session().openInFlight(rows, inFlight.#holder);
    return inFlight.#renewed();
  }

  /**
   * A client resumed the stream of a request: where that was not answered meanwhile, it is in
   * flight again.
   */
  static async resume(context: RelayContext, flight: Flight): Promise<InFlight | null> {
    if (!countsInFlight(flight.serves) || !isTracked(context)) return null;
    const inFlight = new InFlight(context, [flight]);
    await inFlight.#session().resumeInFlight(idKey(flight.request.id), inFlight.#holder);
    return inFlight.#renewed();
  }

  /**
   * These were answered, which ends their sampling requests, unless a task continues them
   * (`goesOn`).
   */
  async answered(requests: readonly Originating["id"][], goesOn: boolean): Promise<void> {
    const closed = requests.map(idKey).filter((request) => this.#open.has(request));
    if (closed.length > 0) await this.#close(closed, goesOn);
  }

  async allAnswered(goesOn: boolean): Promise<void> {
    await this.#close([...this.#open.keys()], goesOn);
  }

  /**
   * The stream has ended. `resumable`: the client is to resume it, so the requests stay in flight
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
    const { env, key, session } = this.#context;
    return sessionStub(env, key.id, associationSession(session));
  }
}

/**
 * A request of the client, and the one that it serves: itself, or for `tasks/result` the one that
 * the task runs for.
 */
type Flight = { readonly request: Originating; readonly serves: Originating };

const isTracked = ({ server, session }: RelayContext): boolean =>
  server.association !== "strict" && answeredHere(server, session).length > 0;
