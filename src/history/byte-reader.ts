import type { Readable } from 'node:stream';

const LINE_FEED = 0x0a;

/** Takes a stream apart into lines and counted bytes, reading no further than it has to. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #left: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /** Takes a line, without its line feed; nothing at the end of the stream. */
  async line(): Promise<string | undefined> {
    for (let from = 0; ; ) {
      const end = this.#left.indexOf(LINE_FEED, from);
      if (end >= 0) return this.#take(end + 1).toString('utf8', 0, end);
      from = this.#left.length;
      const next = await this.#chunks.next();
      if (next.done === true) return undefined;
      this.#left = Buffer.concat([this.#left, next.value]);
    }
  }

  /** Takes so many bytes; fewer at the end of the stream. */
  async bytes(count: number): Promise<Buffer> {
    const parts = [this.#left];
    let length = this.#left.length;
    while (length < count) {
      const next = await this.#chunks.next();
      if (next.done === true) break;
      parts.push(next.value);
      length += next.value.length;
    }
    this.#left = parts.length === 1 ? this.#left : Buffer.concat(parts);
    return this.#take(Math.min(count, length));
  }

  #take(count: number): Buffer {
    const taken = this.#left.subarray(0, count);
    this.#left = this.#left.subarray(count);
    return taken;
  }
}
