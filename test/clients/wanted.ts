/**
 * Tells whether tests with real agent clients are to run: they install hundreds of megabytes, so only
 * where someone asked for it (`HIVEMAIL_TEST_CLIENTS=1`) or where nothing may be left out (`CI=true`).
 * Otherwise says so on stderr, so that a skipped suite is never taken for a passed one.
 * @param client - whose tests these are
 */
export function clientTestsWanted(client: string): boolean {
  const wanted = process.env.CI === 'true' || process.env.HIVEMAIL_TEST_CLIENTS === '1';
  if (!wanted) {
    process.stderr.write(
      `\n!!! SKIPPED: tests with the real ${client}. Set HIVEMAIL_TEST_CLIENTS=1 to run them.\n\n`,
    );
  }
  return wanted;
}
