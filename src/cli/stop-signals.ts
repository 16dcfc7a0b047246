/** Signals that ask a process to end. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** Listens for the wish to end. */
export interface StopSignals extends Disposable {
  /** Settles at the first signal, with its name. */
  readonly first: Promise<NodeJS.Signals>;
}

/** The exit code of a program that a signal has ended, as shells know it. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return EXIT_CODES[signal as keyof typeof EXIT_CODES];
}

/** Listens for signals: the first one is a wish, the second ends the process at once. */
export function listenForStop(): StopSignals {
  let listener: (signal: NodeJS.Signals) => void = () => {};
  const first = new Promise<NodeJS.Signals>((resolve) => {
    let isSecond = false;
    listener = (signal) => {
      if (isSecond) process.exit(exitCodeOf(signal));
      isSecond = true;
      resolve(signal);
    };
  });
  for (const signal of SIGNALS) process.on(signal, listener);
  return {
    first,
    [Symbol.dispose]: () => {
      for (const signal of SIGNALS) process.off(signal, listener);
    },
  };
}
