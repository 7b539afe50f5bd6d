// What Slack refuses in blocks and views, as its reference documents it
// (https://docs.slack.dev/reference/block-kit), and the bound on a whole message that it does not
// document (bolt-js issues 2509 and 2867: about 12,000 characters of text).
//
// Lengths are counted with `&`, `<` and `>` escaped: the strictest reading.

type Value = Record<string, unknown>;

const isObject = (value: unknown): value is Value => typeof value === "object" && value !== null && !Array.isArray(value);
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

class Rules {
  readonly problems: string[] = [];
  characters = 0;
  readonly #ids = new Set<string>();

  refuse(at: string, why: string): void {
    this.problems.push(`${at}: ${why}`);
  }

  object(value: unknown, at: string, known: readonly string[]): Value {
    if (!isObject(value)) {
      this.refuse(at, "is no object");
      return {};
    }
    for (const name of Object.keys(value)) if (!known.includes(name)) this.refuse(`${at}/${name}`, "is not known");
    return value;
  }

  list(value: unknown, at: string, most: number): unknown[] {
    if (!Array.isArray(value)) {
      this.refuse(at, "is no list");
      return [];
    }
    if (value.length === 0 || value.length > most) this.refuse(at, `has ${value.length} items`);
    return value;
  }

  text(value: unknown, at: string, most: number, least = 1): void {
    if (typeof value !== "string") return this.refuse(at, "is no text");
    // A text object comes escaped or is escaped; what comes escaped is not escaped again.
    const length = escaped(value.replaceAll(/&(?:amp|lt|gt);/g, "#####")).length;
    this.characters += length;
    if (length < least || length > most) this.refuse(at, `has ${length} characters`);
    if (!value.isWellFormed()) this.refuse(at, "has half a character");
  }

  id(value: unknown, at: string): void {
    if (typeof value !== "string" || value.length < 1 || value.length > 255) return this.refuse(at, "is no id");
    if (this.#ids.has(value)) this.refuse(at, "is there twice");
    this.#ids.add(value);
  }

  plainText(value: unknown, at: string, most: number): void {
    const object = this.object(value, at, ["type", "text", "emoji"]);
    if (object["type"] !== "plain_text") this.refuse(at, "is not plain_text");
    this.text(object["text"], `${at}/text`, most);
  }

  /** A text object that may be mrkdwn. */
  anyText(value: unknown, at: string, most: number): void {
    if (isObject(value) && value["type"] === "mrkdwn") this.text(value["text"], `${at}/text`, most);
    else this.plainText(value, at, most);
  }

  inline(value: unknown, at: string, allowed: readonly string[]): void {
    if (!isObject(value) || !allowed.includes(String(value["type"]))) return this.refuse(at, "is not allowed here");
    if (value["type"] === "text") {
      this.object(value, at, ["type", "text", "style"]);
      // The elements of rich text have no limit of their own in the reference; the section's is
      // taken for them.
      this.text(value["text"], `${at}/text`, 3_000);
    } else if (value["type"] === "link") {
      this.object(value, at, ["type", "url", "text", "style"]);
      this.text(value["url"], `${at}/url`, 3_000);
    } else if (value["type"] === "date") {
      this.object(value, at, ["type", "timestamp", "format", "fallback", "url"]);
      if (!Number.isInteger(value["timestamp"]) || typeof value["format"] !== "string") this.refuse(at, "is no date");
    }
  }

  rich(value: unknown, at: string): void {
    const part = this.object(value, at, ["type", "elements", "style", "border", "indent"]);
    const inline = ["text", "link", "date", "emoji", "user", "channel", "usergroup", "broadcast", "color"];
    const elements = this.list(part["elements"], `${at}/elements`, 1_000);
    for (const [i, element] of elements.entries()) {
      const path = `${at}/elements/${i}`;
      switch (part["type"]) {
        case "rich_text_section":
        case "rich_text_quote":
          this.inline(element, path, inline);
          break;
        case "rich_text_preformatted":
          this.inline(element, path, ["text", "link"]);
          break;
        case "rich_text_list":
          if (part["style"] !== "bullet" && part["style"] !== "ordered") this.refuse(`${at}/style`, "is no style of a list");
          if (!isObject(element) || element["type"] !== "rich_text_section") this.refuse(path, "is no section");
          else this.rich(element, path);
          break;
        default:
          this.refuse(at, "is no part of rich text");
      }
    }
  }

  button(value: unknown, at: string): void {
    const button = this.object(value, at, ["type", "action_id", "text", "value", "url", "style", "confirm", "accessibility_label"]);
    if (button["type"] !== "button") this.refuse(at, "is no button");
    this.plainText(button["text"], `${at}/text`, 75);
    if (button["value"] !== undefined) this.text(button["value"], `${at}/value`, 2_000);
    if (button["url"] !== undefined) {
      this.text(button["url"], `${at}/url`, 3_000);
      if (typeof button["url"] === "string" && !URL.canParse(button["url"])) this.refuse(`${at}/url`, "is no URL");
    }
    if (button["style"] !== undefined && button["style"] !== "primary" && button["style"] !== "danger")
      this.refuse(`${at}/style`, "is no style");
  }

  block(value: unknown, at: string, surface: "message" | "modal"): void {
    const block = this.object(value, at, [
      "type",
      "block_id",
      "text",
      "fields",
      "elements",
      "element",
      "label",
      "hint",
      "optional",
      "dispatch_action",
    ]);
    if (block["block_id"] !== undefined) this.id(block["block_id"], `${at}/block_id`);
    switch (block["type"]) {
      case "header":
        return this.plainText(block["text"], `${at}/text`, 150);
      case "section":
        return this.anyText(block["text"], `${at}/text`, 3_000);
      case "divider":
        return;
      case "context":
        for (const [i, element] of this.list(block["elements"], `${at}/elements`, 10).entries())
          this.anyText(element, `${at}/elements/${i}`, 3_000);
        return;
      case "rich_text":
        for (const [i, part] of this.list(block["elements"], `${at}/elements`, 100).entries()) this.rich(part, `${at}/elements/${i}`);
        return;
      case "actions": {
        const buttons = this.list(block["elements"], `${at}/elements`, 25);
        for (const [i, button] of buttons.entries()) this.button(button, `${at}/elements/${i}`);
        const ids = buttons.map((button) => (isObject(button) ? button["action_id"] : undefined));
        if (ids.some((id) => typeof id !== "string" || id.length > 255) || new Set(ids).size !== ids.length)
          this.refuse(`${at}/elements`, "have no ids of their own");
        return;
      }
      case "input":
        if (surface === "message") return this.refuse(at, "is not for messages");
        this.plainText(block["label"], `${at}/label`, 2_000);
        return this.input(block["element"], `${at}/element`);
      default:
        return this.refuse(at, "is no block");
    }
  }

  /** Each option has at most 75 characters, and a value of at most 150. */
  checkboxes(value: unknown, at: string): void {
    const input = this.object(value, at, ["type", "action_id", "options"]);
    for (const [i, option] of this.list(input["options"], `${at}/options`, 10).entries()) {
      const { text, value: given } = this.object(option, `${at}/options/${i}`, ["text", "value"]);
      this.plainText(text, `${at}/options/${i}/text`, 75);
      this.text(given, `${at}/options/${i}/value`, 150);
    }
  }

  input(value: unknown, at: string): void {
    if (isObject(value) && value["type"] === "checkboxes") return this.checkboxes(value, at);
    const input = this.object(value, at, ["type", "action_id", "multiline", "initial_value", "min_length", "max_length", "placeholder"]);
    if (input["type"] !== "plain_text_input") this.refuse(at, "is no input");
    if (input["initial_value"] !== undefined) this.text(input["initial_value"], `${at}/initial_value`, 3_000);
    const most = input["max_length"];
    if (most !== undefined && (!Number.isInteger(most) || Number(most) < 1 || Number(most) > 3_000))
      this.refuse(`${at}/max_length`, "is no length");
  }
}

const mostCharacters = 12_000;
/** Blocks count beside their text; by how much is not known. */
const mostJson = 13_000;

/** Slack's error for the blocks of a message and what it is about, or null where it takes them. */
export function messageRefusal(blocks: unknown): { error: string; problems: string[] } | null {
  const rules = new Rules();
  for (const [i, block] of rules.list(blocks, "/blocks", 50).entries()) rules.block(block, `/blocks/${i}`, "message");
  if (rules.problems.length > 0) return { error: "invalid_blocks", problems: rules.problems };
  if (rules.characters > mostCharacters || JSON.stringify(blocks).length > mostJson) return { error: "msg_blocks_too_long", problems: [] };
  return null;
}

/** The same for a modal. */
export function viewRefusal(value: unknown): { error: string; problems: string[] } | null {
  const rules = new Rules();
  const view = rules.object(value, "/view", [
    "type",
    "callback_id",
    "title",
    "close",
    "submit",
    "private_metadata",
    "blocks",
    "clear_on_close",
    "notify_on_close",
  ]);
  if (view["type"] !== "modal") rules.refuse("/view/type", "is no modal");
  rules.plainText(view["title"], "/view/title", 24);
  for (const name of ["close", "submit"]) if (view[name] !== undefined) rules.plainText(view[name], `/view/${name}`, 24);
  if (view["private_metadata"] !== undefined) rules.text(view["private_metadata"], "/view/private_metadata", 3_000);
  if (view["callback_id"] !== undefined) rules.text(view["callback_id"], "/view/callback_id", 255);
  const blocks = rules.list(view["blocks"], "/view/blocks", 100);
  for (const [i, block] of blocks.entries()) rules.block(block, `/view/blocks/${i}`, "modal");
  if (view["submit"] === undefined && blocks.some((block) => isObject(block) && block["type"] === "input"))
    rules.refuse("/view", "must define submit to use an input block");
  if (JSON.stringify(value).length > 250_000) return { error: "view_too_large", problems: [] };
  return rules.problems.length > 0 ? { error: "invalid_arguments", problems: rules.problems } : null;
}
