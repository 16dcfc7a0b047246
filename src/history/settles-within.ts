/**
 * Waits for something for a while only, whether it succeeds or fails.
 * @returns whether it is over; false when time is up or the signal says so
 */
export async function settlesWithin(
  awaited: Promise<unknown> | undefined,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<boolean> {
  let giveUp = (): void => undefined;
  const givenUp = new Promise<false>((resolve) => {
    giveUp = () => resolve(false);
  });
  const timer = setTimeout(giveUp, timeoutMs);
  signal?.addEventListener('abort', giveUp, { once: true });
  if (signal?.aborted === true) giveUp();
  try {
    return await Promise.race([
      Promise.resolve(awaited).then(
        () => true,
        () => true,
      ),
      givenUp,
    ]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
  }
}
