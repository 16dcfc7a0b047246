/** Runs the command line on this process; hivemail.cts starts it. */
import { run } from './run.ts';
import { processSurface } from './surface.ts';

const surface = processSurface();
process.exitCode = await run(process.argv.slice(2), surface);
