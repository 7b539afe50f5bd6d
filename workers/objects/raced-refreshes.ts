// The newest refresh of each grant of a person, in memory alone and for a moment. Two processes of
// a client that refresh at once send the same request, and keep whichever answer is stored last:
// with an answer for each, the one that is not current would end the connection the next time, as a
// stolen one does.

/** `answer`: null where it was refused, and where none came. */
type Refresh = {
  readonly request: string;
  readonly at: number;
  readonly answer: Promise<string | null>;
  readonly end: (answer: string | null) => void;
};

/** The same request is the same refresh for so long, unless another came meanwhile. */
const sharedMs = 10_000;

export class RacedRefreshes {
  readonly #now: () => number;
  readonly #newest = new Map<string, Refresh>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The answer of the same request; null: the caller asks for one, and says what it got. */
  async begin(grant: string, request: string): Promise<string | null> {
    for (const [each, { at }] of this.#newest) if (this.#now() >= at + sharedMs) this.#newest.delete(each);
    const before = this.#newest.get(grant);
    if (before?.request === request) return before.answer;
    const { promise: answer, resolve: end } = Promise.withResolvers<string | null>();
    before?.end(null);
    this.#newest.set(grant, { request, at: this.#now(), answer, end });
    setTimeout(end, sharedMs, null);
    return null;
  }

  /** `answer`: null where it was refused, and where none came. */
  end(grant: string, request: string, answer: string | null): void {
    const begun = this.#newest.get(grant);
    if (begun?.request !== request) return;
    begun.end(answer);
    if (answer === null) this.forget(grant);
  }

  /** Nothing of a grant that has ended is given out again. */
  forget(grant: string): void {
    this.#newest.delete(grant);
  }
}
