// What the package says to a host's developer where the host does not listen itself: single lines
// on stderr. No prompt, reply or key is in any of them, because none is in the errors.

const SAME_AGAIN_MILLISECONDS = 60_000;

/** Writes each sentence as one line, and repeats one only after a minute. */
export function warner(write: (line: string) => void): (sentence: string) => void {
  const saidAt = new Map<string, number>();
  return (sentence) => {
    const now = Date.now();
    if (now - (saidAt.get(sentence) ?? -Infinity) < SAME_AGAIN_MILLISECONDS) return;
    saidAt.set(sentence, now);
    write(`countersign: ${sentence.replaceAll(/\s*[\r\n]+\s*/g, " ")}`);
  };
}

/** A callback of the host that throws must not end a request. */
export const quiet =
  <T>(callback: ((value: T) => void) | undefined): ((value: T) => void) =>
  (value) => {
    try {
      callback?.(value);
    } catch {
      // There is no other place to report an error than the callback.
    }
  };

// oxlint-disable-next-line no-console -- stderr in Node, where stdout may be an MCP server's wire
const onStderr = warner((line) => console.error(line));

/** The default of every `onError`: a host that set none still hears of a gateway that is down. */
export const reportError = ({ message }: Error): void => onStderr(message);
