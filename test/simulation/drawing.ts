/**
 * The random characters that a router draws by itself. Tests put this in place of `random.ts`, so that
 * a schedule is the same each time; it reaches no module of the product.
 */
export const drawing = { random: (): string => '00000000' };
