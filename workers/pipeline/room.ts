// What this isolate knows of a key's room: so many more requests its object would let in, as it said last.
//
// A request for which there is room asks its session beside the key, which saves the time of one call. Where none is known, the key is
// asked first: whoever sends more than its key may have wakes no sessions with it.

/** By the key's id: what was left, and how many ask now. */
const rooms = new Map<string, { left: number; asking: number }>();
const mostKeys = 10_000;

/** Whether there is room for one more, which is taken then. */
export function takeRoom(keyId: string): boolean {
  const room = rooms.get(keyId);
  if (room === undefined || room.left <= 0) return false;
  room.left -= 1;
  return true;
}

/** Asks the key's object, and keeps what it says of its room. */
export async function toldRoom<T extends { readonly left: number }>(keyId: string, ask: () => Promise<T>): Promise<T> {
  if (rooms.size >= mostKeys && !rooms.has(keyId)) rooms.clear();
  const room = rooms.get(keyId) ?? { left: 0, asking: 0 };
  rooms.set(keyId, room);
  room.asking += 1;
  try {
    const answer = await ask();
    // What others ask for at this moment may not have been counted when this was said.
    room.left = Math.max(0, answer.left - room.asking + 1);
    return answer;
  } finally {
    room.asking -= 1;
  }
}
