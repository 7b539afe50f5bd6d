// The keys of a page's script, in a popover that needs no script.

import type { Child } from "hono/jsx";

/** `keys`: what each does. `children`: what is said below them. */
export const KeysHelp = ({
  heading,
  keys,
  children,
}: {
  readonly heading: string;
  readonly keys: Readonly<Record<string, string>>;
  readonly children?: Child;
}) => (
  <div class="help" id="help" popover="auto" role="dialog" aria-labelledby="help-heading">
    <h2 id="help-heading">{heading}</h2>
    <dl>
      {Object.entries(keys).map(([key, what]) => (
        <>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{what}</dd>
        </>
      ))}
    </dl>
    {children}
  </div>
);
