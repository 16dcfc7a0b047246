import { fileURLToPath } from 'node:url';

/** The launcher of the package that this code is in. */
export const OWN_LAUNCHER = fileURLToPath(new URL('../cli/hivemail.cjs', import.meta.url));
