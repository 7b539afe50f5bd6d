// The review that a client's call opens. The call itself goes on waiting.

import { until } from "./raw-client.ts";
import type { RelayOffice } from "./relay-office.ts";

/** Begins a call, and gives it beside the run and the link of the review that it opens. */
export async function openedReview<T>(
  office: RelayOffice,
  begin: () => Promise<T>,
): Promise<{ readonly called: Promise<T>; readonly run: string; readonly link: string }> {
  const before = new Set((await office.notices()).map(({ run }) => run));
  const called = begin();
  called.catch(() => {});
  const { run, link } = await until("its review", async () =>
    (await office.notices()).find((each) => !before.has(each.run) && each.link !== null),
  );
  return { called, run, link: link ?? "" };
}
