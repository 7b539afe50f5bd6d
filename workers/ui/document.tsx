// The shell of every page for people: one stylesheet, at most one script of ours, and no other
// resource.

import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { Icon } from "./icons.tsx";
import type { Words } from "../../shared/channels/words/words.ts";
import { KeysHelp } from "./keys-help.tsx";
import { inLanguage, useWords } from "./language.ts";
import { Name } from "./outside-text.tsx";
import { stylesheet } from "./stylesheet.ts";

/**
 * The reader's inbox: its path, and how many reviews wait. `count`: null on a page that a token
 * opened, which says nothing of what else waits.
 */
export type InboxMark = { readonly path: string; readonly count: number | null };

/** What a page of the inbox has whose form posts something. */
export type FormPageInput = {
  /** Where the form posts to. */
  readonly action: string;
  readonly nonce: string;
  readonly reader: string;
  readonly inbox: InboxMark;
};

export const useInboxLink = ({ count }: InboxMark): string => {
  const { title, link } = useWords().inbox;
  return count === null ? title : link.replace("{n}", String(count));
};

const InboxLink = ({ of }: { of: InboxMark }) => (
  <a class="act" id="inbox-link" href={of.path}>
    {useInboxLink(of)}
  </a>
);

type DocumentProps = {
  readonly title: string;
  readonly cspNonce: string;
  readonly skip?: { readonly to: string; readonly words: string };
  /** The reviewer who decides on this page. */
  readonly reader?: string;
  readonly inbox?: InboxMark;
  /** The keys of the page's script, and what they do. Absent: those of a review. */
  readonly keys?: { readonly keys: Readonly<Record<string, string>>; readonly note: string };
  /** Constants of ours, without any content. The style comes after that of every page. */
  readonly script?: string;
  readonly style?: string;
  /** The path of the inbox, on the page that a phone can install as an app. */
  readonly app?: string | undefined;
  readonly children: Child;
};

/**
 * The keys of the page's script, in a popover that needs no script. Its button is no part of the
 * form.
 */
const Shortcuts = ({ keys }: Pick<DocumentProps, "keys">) => {
  const { shortcuts } = useWords().page;
  const shown = keys ?? shortcuts;
  return (
    <KeysHelp heading={shortcuts.heading} keys={shown.keys}>
      <p class="soft">{shown.note}</p>
    </KeysHelp>
  );
};

const Top = ({ skip, reader, inbox }: Pick<DocumentProps, "skip" | "reader" | "inbox">) => {
  const { page } = useWords();
  return (
    <header class="top">
      {skip === undefined ? null : (
        <a class="btn skip" href={`#${skip.to}`}>
          {skip.words}
        </a>
      )}
      <span class="brand">
        <Icon of="brand" />
        {page.product}
      </span>
      {reader === undefined ? null : (
        <div class="end">
          {inbox === undefined ? null : <InboxLink of={inbox} />}
          <button class="act wide" type="button" popovertarget="help">
            {page.shortcuts.open}
          </button>
          <span class="soft reader">
            <span class="sr">{page.decideAs} </span>
            <Name value={reader} />
          </span>
        </div>
      )}
    </header>
  );
};

export const Head = ({ title, cspNonce, style, app }: Pick<DocumentProps, "title" | "cspNonce" | "app"> & { readonly style: string }) => (
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
    <meta name="robots" content="noindex, nofollow" />
    <meta name="color-scheme" content="light dark" />
    <title>{title}</title>
    {app === undefined ? null : (
      <>
        <link rel="manifest" href={`${app}/app.webmanifest`} />
        <link rel="apple-touch-icon" href={`${app}/icons/192.png`} />
      </>
    )}
    <style nonce={cspNonce}>{raw(style)}</style>
  </head>
);

export const Document = ({ title, cspNonce, skip, reader, inbox, keys, script, style = "", app, children }: DocumentProps) => {
  const { page } = useWords();
  return (
    <html lang={page.lang}>
      <Head title={title} cspNonce={cspNonce} style={stylesheet + style} app={app} />
      <body>
        <Top
          {...(skip === undefined ? {} : { skip })}
          {...(reader === undefined ? {} : { reader })}
          {...(inbox === undefined ? {} : { inbox })}
        />
        {reader === undefined ? null : <Shortcuts {...(keys === undefined ? {} : { keys })} />}
        <main>{children}</main>
        {script === undefined ? null : <script nonce={cspNonce}>{raw(script)}</script>}
      </body>
    </html>
  );
};

/** A short page of ours without a review. */
export const PlainDocument = ({
  title,
  cspNonce,
  children,
  ...rest
}: Pick<DocumentProps, "title" | "cspNonce" | "style" | "script" | "children">) => {
  const { page } = useWords();
  return (
    <Document title={`${title} · ${page.product}`} cspNonce={cspNonce} {...rest}>
      <div class="wrap plain-page">
        <h1 class="said-by-us">{title}</h1>
        {children}
      </div>
    </Document>
  );
};

/** A page as text. Our components are never asynchronous, so the page is always a string. */
export const asHtml = (words: Words, page: () => Child): string => inLanguage(words, () => `<!doctype html>${String(page())}`);
