// What a client of 2026-07-28 listens to at a server with sessions.

import { describe, expect, test } from "vitest";
import {
  acknowledgement,
  changeOf,
  isEmptyFilter,
  isWanted,
  listenResult,
  mostUris,
  readFilter,
  supportedPart,
  toldChange,
} from "../../../shared/relay/listening.ts";

const filterOf = (notifications: unknown) => {
  const read = readFilter({ notifications } as Parameters<typeof readFilter>[0]);
  return read.ok ? read.value : read.error;
};

describe("a filter", () => {
  test("has the lists and each resource once", () => {
    expect(filterOf({ toolsListChanged: true, promptsListChanged: false, resourceSubscriptions: ["a:b", "a:b", "a:c"] })).toEqual({
      lists: ["tools"],
      uris: ["a:b", "a:c"],
    });
    expect(filterOf({})).toEqual({ lists: [], uris: [] });
  });

  test.each([
    [undefined, "required"],
    [[], "required"],
    [{ toolsListChanged: 1 }, "true or false"],
    [{ resourceSubscriptions: "a:b" }, "list of URIs"],
    [{ resourceSubscriptions: [1] }, "list of URIs"],
    [{ resourceSubscriptions: Array.from({ length: mostUris + 1 }, (_, index) => `a:${index}`) }, `more than ${mostUris}`],
    [{ resourceSubscriptions: ["a".repeat(2_049)] }, "more than 2048 characters"],
    [{ resourceSubscriptions: ["a:\ud800"] }, "no Unicode"],
  ])("%j is refused", (given, why) => {
    expect(filterOf(given)).toContain(why);
  });

  test("is cut to what the server declares", () => {
    const filter = { lists: ["tools", "prompts"], uris: ["a:b"] } as const;
    expect(supportedPart(filter, { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true } })).toEqual({
      lists: ["tools"],
      uris: ["a:b"],
    });
    expect(isEmptyFilter(supportedPart(filter, { prompts: { listChanged: false }, resources: {} }))).toBe(true);
  });
});

describe("a change", () => {
  const tools = changeOf("notifications/tools/list_changed", { of: "any size" }) ?? "";
  const updated = (uri: string) => changeOf("notifications/resources/updated", { uri, title: "more" }) ?? "";

  test("has what the schema has for it, and nothing else is one", () => {
    expect(JSON.parse(tools)).toEqual({ method: "notifications/tools/list_changed", params: {} });
    expect(JSON.parse(updated("a:b"))).toEqual({ method: "notifications/resources/updated", params: { uri: "a:b" } });
    for (const method of ["notifications/message", "notifications/roots/list_changed", "tools/list_changed"])
      expect(changeOf(method, {})).toBeNull();
    expect(changeOf("notifications/resources/updated", {})).toBeNull();
    expect(changeOf("notifications/resources/updated", { uri: "a".repeat(2_049) })).toBeNull();
  });

  test("goes to those who asked for it", () => {
    const filter = { lists: ["tools"], uris: ["file:///work", "test://whole/"] } as const;
    expect(isWanted(filter, tools)).toBe(true);
    expect(isWanted(filter, changeOf("notifications/prompts/list_changed", null) ?? "")).toBe(false);
    for (const uri of ["file:///work", "file:///work/a.txt", "file:///work#part", "test://whole/part"])
      expect([uri, isWanted(filter, updated(uri))]).toEqual([uri, true]);
    for (const uri of ["file:///workshop", "file:///", "test://whole"]) expect([uri, isWanted(filter, updated(uri))]).toEqual([uri, false]);
  });

  test("names the request of the client, as do the first and the last message", () => {
    const _meta = { "io.modelcontextprotocol/subscriptionId": 7 };
    expect(toldChange(7, updated("a:b"))).toEqual({
      jsonrpc: "2.0",
      method: "notifications/resources/updated",
      params: { uri: "a:b", _meta },
    });
    expect(acknowledgement(7, { lists: ["tools"], uris: ["a:b"] })).toEqual({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: { notifications: { toolsListChanged: true, resourceSubscriptions: ["a:b"] }, _meta },
    });
    const serverInfo = { name: "old", version: "1" };
    expect(listenResult(7, { serverInfo })).toEqual({
      resultType: "complete",
      _meta: { ..._meta, "io.modelcontextprotocol/serverInfo": serverInfo },
    });
  });
});
