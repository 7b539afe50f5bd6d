// Where the script of a page that wants a passkey says what it does, and finds what it needs.

import { useWords } from "./language.ts";

/** Within the form that the script sends. */
export const PasskeySaid = ({ data }: { data: Readonly<Record<`data-${string}`, string>> }) => {
  const { script } = useWords().page.passkey;
  return <p id="passkey-said" class="soft" role="status" data-words={JSON.stringify(script)} {...data}></p>;
};
