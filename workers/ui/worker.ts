// The pages Worker: makes every page and every email that a person reads, in their language. Apart from the gateway for its size: words in
// several languages, styles and scripts, which no request of a machine needs. It keeps nothing, decides nothing and has no secrets.

import { WorkerEntrypoint } from "cloudflare:workers";
import { type AskedMail, renderMail } from "./mails.ts";
import type { MailContent } from "./mail.tsx";
import { type Page, type PageReader, renderPage } from "./page.ts";

export default class PagesWorker extends WorkerEntrypoint {
  /** 404 to every HTTP request: the Worker should have no address, and serves nothing where it is given one. */
  override fetch(): Response {
    return new Response(null, { status: 404 });
  }

  page(page: Page, reader: PageReader): string {
    return renderPage(page, reader);
  }

  mail(asked: AskedMail): MailContent {
    return renderMail(asked);
  }
}
