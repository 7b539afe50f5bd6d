// What this isolate knows of a key's room: how many more requests its object would admit, by its last answer.
//
// A request for which there is room asks its session and the key at the same time, which saves one call's time. Where no room is known, the
// key is asked first, so that requests over the key's limits wake no session.

/** By the key's id: the room that is left, and how many requests ask the key now. */
const rooms = new Map<string, { left: number; asking: number }>();
const mostKeys = 10_000;

/** Whether there is room for one more request, which then uses it. */
export function takeRoom(keyId: string): boolean {
  const room = rooms.get(keyId);
  if (room === undefined || room.left <= 0) return false;
  room.left -= 1;
  return true;
}

/** Asks the key's object, and stores the room in its answer. */
export async function toldRoom<T extends { readonly left: number }>(keyId: string, ask: () => Promise<T>): Promise<T> {
  if (rooms.size >= mostKeys && !rooms.has(keyId)) rooms.clear();
  const room = rooms.get(keyId) ?? { left: 0, asking: 0 };
  rooms.set(keyId, room);
  room.asking += 1;
  try {
    const answer = await ask();
    // The answer may not count the requests that ask at the same moment.
    room.left = Math.max(0, answer.left - room.asking + 1);
    return answer;
  } finally {
    room.asking -= 1;
  }
}
