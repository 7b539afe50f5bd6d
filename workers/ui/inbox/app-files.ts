// The files by which a phone installs the inbox as an app: a manifest, its pictures, and the
// service worker that shows notices. The same for everybody.

import { iconFiles } from "./icon-files.ts";
import { pushWorkerScript } from "./push-worker.ts";

export type AppFileName = "worker" | "manifest" | keyof typeof iconFiles;

export type AppFile = { readonly type: string; readonly body: string | Uint8Array<ArrayBuffer> };

/** @param home The path of the inbox, without a session's mark. */
export function appFile(name: AppFileName, home: string): AppFile {
  switch (name) {
    case "worker":
      return { type: "text/javascript; charset=utf-8", body: pushWorkerScript };
    case "manifest":
      return { type: "application/manifest+json; charset=utf-8", body: JSON.stringify(manifestOf(home)) };
    default:
      return { type: "image/png", body: Uint8Array.from(atob(iconFiles[name]), (letter) => letter.charCodeAt(0)) };
  }
}

const manifestOf = (home: string): object => ({
  id: home,
  name: "Countersign",
  short_name: "Countersign",
  start_url: home,
  scope: home,
  display: "standalone",
  background_color: "#1d4e89",
  theme_color: "#1d4e89",
  icons: [192, 512].map((size) => ({
    src: `${home}/icons/${size}.png`,
    sizes: `${size}x${size}`,
    type: "image/png",
    purpose: "any maskable",
  })),
});
