/** A router in a process of its own, to be killed. */
import { startRouter } from '../../src/index.ts';

const [dir = ''] = process.argv.slice(2);
await startRouter({ dir, pollMs: 20, watch: false });
process.stdout.write('up\n');
