/** Limits how many operations run at once; the others wait in the order they came. */
export interface Slots {
  /** Runs an operation as soon as a slot is free, and frees the slot whatever becomes of it. */
  use<T>(operation: () => Promise<T>): Promise<T>;
}

/**
 * Makes a set of slots. Under each stands an open file, so that a large batch written in parallel
 * never meets `EMFILE`.
 * @param count - how many operations may run at once
 */
export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = [];
  let free = count;
  const take = async (): Promise<void> => {
    if (free > 0) {
      free -= 1;
      return;
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const give = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    use: async (operation) => {
      await take();
      try {
        return await operation();
      } finally {
        give();
      }
    },
  };
}
