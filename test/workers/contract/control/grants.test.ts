// Grants at the control endpoint: what a reviewer may allow for later envelopes.

import { beforeEach, describe, expect, test } from "vitest";
import { asked, gates, textEnvelope } from "../../support/control.ts";
import { eventually, gateway, notices, openNotice } from "../../support/gateway.ts";
import { allowing, grantList } from "../../support/grants.ts";
import { pathOf, press } from "../../support/reviewer.ts";

beforeEach(() => gates({ request: "review", grants: true }));

const inSession = (session: string) => textEnvelope({}, { context: { session_id: session } });

describe("for a session", () => {
  test("is for the requests that name it, and for no others", async () => {
    const first = asked(inSession("one"));
    await press((await openNotice("request")).link, "approve", allowing("session:shape"));
    expect((await first).status).toBe("completed");
    await eventually("the grant", async () => (await grantList()).length === 1);
    expect((await asked(inSession("one"))).status).toBe("completed");
    expect(await notices()).toHaveLength(1);
    for (const other of [inSession("two"), textEnvelope()]) {
      const before = (await notices()).length;
      const answer = asked(other);
      await eventually("a review", async () => (await notices()).length > before);
      await press((await openNotice("request")).link, "deny");
      expect((await answer).status).toBe("rejected");
    }
  });

  test("is not offered for a request that names none: what stands in its place is shared with others", async () => {
    const answer = asked(textEnvelope());
    const { link } = await openNotice("request");
    const page = await (await gateway(pathOf(link), { key: null })).text();
    expect(page).toContain("tool:shape");
    expect(page).not.toContain("session:shape");
    expect((await press(link, "approve", allowing("session:shape"))).status).not.toBe(303);
    expect(await grantList()).toEqual([]);
    await press(link, "approve", allowing("tool:exact"));
    expect((await answer).status).toBe("completed");
  });
});
