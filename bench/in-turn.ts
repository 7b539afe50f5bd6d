// Work on a list with a limit on how much runs at once.

/** The results in the order of the items. */
export async function inTurn<T, R>(items: readonly T[], atOnce: number, work: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let index = next++; index < items.length; index = next++) results[index] = await work(items[index] as T, index);
    }),
  );
  return results;
}
