// The pages Worker: makes every page, email and notice that a person reads, in their language.
// Apart from the gateway for its size: words in several languages, styles and scripts, which no
// request of a machine needs. It keeps nothing and has no secrets; to the console it has the
// authority of the operator who visits, for that visit.

import { WorkerEntrypoint } from "cloudflare:workers";
import { testResultWords } from "../../shared/channels/channel-test.ts";
import type { Language } from "../../shared/channels/words/languages.ts";
import type { LinkChannel, NoticeError } from "../../shared/notice-channels.ts";
import { channelPieces, channelWords } from "./channel-registry.ts";
import { answerConsole } from "./console/console.tsx";
import type { ConsoleAnswer, ConsoleApi, ConsoleVisit } from "./console/visit.ts";
import { type AppFile, type AppFileName, appFile } from "./inbox/app-files.ts";
import { type Page, type PageReader, renderPage } from "./page.ts";

export default class PagesWorker extends WorkerEntrypoint {
  /**
   * 404 to every HTTP request: the Worker should have no address, and serves nothing where it is
   * given one.
   */
  override fetch(): Response {
    return new Response(null, { status: 404 });
  }

  page(page: Page, reader: PageReader): string {
    return renderPage(page, reader);
  }

  /** A visit to the console. `api`: the operator's API, good until this is answered. */
  console(visit: ConsoleVisit, api: ConsoleApi): Promise<ConsoleAnswer> {
    return answerConsole(visit, api);
  }

  /** A file of the inbox as an app. `home`: the path of the inbox. */
  inboxFile(name: AppFileName, home: string): AppFile {
    return appFile(name, home);
  }

  /** What each channel's sender asks for. */
  get channels(): typeof channelPieces {
    return channelPieces;
  }

  /** What a test of a channel came to, in a sentence. */
  testResult(channel: LinkChannel, state: "sent" | NoticeError, language: Language): string {
    return testResultWords(state, channelWords(channel, language), language);
  }
}
