const PROBES = 6;
const FNV_PRIME = 0x01000193;
const SEEDS = [0x811c9dc5, 0x2b3c4d5f] as const;

/**
 * A set of names that may say it holds one that it does not, and never that it lacks one that it holds
 * (https://en.wikipedia.org/wiki/Bloom_filter). With twelve bits a name it errs once in some hundred times.
 */
export class NameFilter {
  readonly bytes: Uint8Array;
  readonly #bits: number;

  /** @param bytes - all zero for an empty set; changed by {@link NameFilter.add} */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#bits = bytes.length * 8;
  }

  add(name: string): void {
    for (const bit of this.#bitsOf(name)) {
      const at = bit >>> 3;
      this.bytes[at] = (this.bytes[at] ?? 0) | (1 << (bit & 7));
    }
  }

  /** False only for a name that was never added. */
  mayHold(name: string): boolean {
    return this.#bitsOf(name).every(
      (bit) => ((this.bytes[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0,
    );
  }

  #bitsOf(name: string): number[] {
    const first = hashOf(name, SEEDS[0]);
    const step = hashOf(name, SEEDS[1]) | 1;
    return Array.from(
      { length: PROBES },
      (_, probe) => ((first + probe * step) >>> 0) % this.#bits,
    );
  }
}

/** FNV-1a, its bits mixed at the end as those of MurmurHash3 are. */
function hashOf(name: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < name.length; at++) {
    hash = Math.imul(hash ^ name.charCodeAt(at), FNV_PRIME);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
