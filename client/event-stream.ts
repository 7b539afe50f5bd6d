// Reads server-sent events from bytes that may be cut anywhere (WHATWG HTML, section 9.2.6). No network, no clock.

export type StreamItem =
  | { readonly kind: "event"; readonly event: string; readonly data: string; readonly id: string | undefined }
  | { readonly kind: "comment" };

/**
 * A reader for one stream. `push` takes the next bytes and gives what they completed, in order. What is incomplete when
 * the stream ends is dropped, as the standard says. An event without data is given too: servers send the id to resume
 * from in one. LF, CR and CRLF end a line, also where a chunk ends between CR and LF.
 */
export function createEventStreamReader(): { push(bytes: Uint8Array): StreamItem[] } {
  const decoder = new TextDecoder();
  let line = "";
  let afterCarriageReturn = false;
  let event = "";
  let data: string[] = [];
  let id: string | undefined;
  let fields = 0;

  function endLine(): StreamItem | undefined {
    const text = line;
    line = "";
    if (text === "") return dispatch();
    if (text.startsWith(":")) return { kind: "comment" };
    const colon = text.indexOf(":");
    const name = colon === -1 ? text : text.slice(0, colon);
    const rest = colon === -1 ? "" : text.slice(colon + 1);
    const value = rest.startsWith(" ") ? rest.slice(1) : rest;
    fields += 1;
    if (name === "data") data.push(value);
    else if (name === "event") event = value;
    else if (name === "id" && !value.includes("\0")) id = value;
    return undefined;
  }

  function dispatch(): StreamItem | undefined {
    if (fields === 0) return undefined;
    const item: StreamItem = { kind: "event", event: event === "" ? "message" : event, data: data.join("\n"), id };
    event = "";
    data = [];
    id = undefined;
    fields = 0;
    return item;
  }

  return {
    push(bytes) {
      const text = decoder.decode(bytes, { stream: true });
      if (text === "") return [];
      const items: StreamItem[] = [];
      let start = afterCarriageReturn && text.startsWith("\n") ? 1 : 0;
      afterCarriageReturn = text.endsWith("\r");
      const lineEnd = /\r\n|\r|\n/g;
      lineEnd.lastIndex = start;
      for (let match = lineEnd.exec(text); match !== null; match = lineEnd.exec(text)) {
        line += text.slice(start, match.index);
        start = lineEnd.lastIndex;
        const item = endLine();
        if (item !== undefined) items.push(item);
      }
      line += text.slice(start);
      return items;
    },
  };
}
