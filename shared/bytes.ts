// Joins bytes that arrived in parts.

/**
 * The parts, one after the other. A loop, because as arguments of one call any number of them would
 * have to fit the stack.
 */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
