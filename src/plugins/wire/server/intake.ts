/**
 * Bodies as they come in. What Node hands out is copied and let go: kept until the body is whole, it outlives the
 * collector of young objects, and lies outside of V8's heap, which takes no hurry with it (200 bodies of 1 MiB left
 * 300 MiB behind); and a body in chunks of one byte each would take 200 times its size.
 */

/** Bytes of a block; so many of a body are kept without asking for room, so that who is slow takes none. */
const BLOCK = 16 * 1024;

/** Blocks for all bodies together, 8 MiB. What is made of a body may be several times as large. */
const MAX_BLOCKS = 512;

/** Room for the bodies of all requests under way: blocks that are used again and again. */
export class Room {
  private readonly free: Buffer[] = [];
  private made = 0;
  private readonly assembled: Buffer;

  /** @param maxBody bytes of the largest body */
  constructor(maxBody: number) {
    this.assembled = Buffer.allocUnsafeSlow(maxBody);
  }

  /** A block, null when there is none left. */
  take(): Buffer | null {
    const block = this.free.pop();
    if (block) return block;
    if (this.made === MAX_BLOCKS) return null;
    this.made += 1;
    return Buffer.allocUnsafeSlow(BLOCK);
  }

  give(blocks: readonly Buffer[]): void {
    this.free.push(...blocks);
  }

  /** The bytes in blocks, in one piece; it is gone with the next call. */
  assemble(blocks: readonly Buffer[], size: number): Buffer {
    blocks.forEach((block, n) => block.copy(this.assembled, n * BLOCK));
    return this.assembled.subarray(0, size);
  }
}

/** One body on its way in. */
export class Intake {
  size = 0;
  /** Most bodies come in one piece. */
  private only: Buffer | null = null;
  /** The first is its own, the others are lent. */
  private blocks: Buffer[] = [];

  constructor(private readonly room: Room) {}

  /** Takes in what has come. @returns false when there is no room for it */
  add(chunk: Buffer): boolean {
    if (this.size === 0 && chunk.length <= BLOCK) {
      this.only = chunk;
      this.size = chunk.length;
      return true;
    }
    const first = this.only;
    if (first) {
      this.only = null;
      this.size = 0;
      this.copy(first);
    }
    return this.copy(chunk);
  }

  /** All that has come, in one piece, to be read before anything else is done. */
  whole(): Buffer {
    if (this.only) return this.only;
    const [first] = this.blocks;
    if (first && this.size <= BLOCK) return first.subarray(0, this.size);
    return this.room.assemble(this.blocks, this.size);
  }

  /** Gives the room back. */
  release(): void {
    this.room.give(this.blocks.slice(1));
    this.blocks = [];
  }

  private copy(chunk: Buffer): boolean {
    for (let from = 0; from < chunk.length;) {
      const at = this.size % BLOCK;
      if (at === 0) {
        const block = this.blocks.length === 0 ? Buffer.allocUnsafeSlow(BLOCK) : this.room.take();
        if (!block) return false;
        this.blocks.push(block);
      }
      const copied = chunk.copy(this.blocks.at(-1) as Buffer, at, from);
      from += copied;
      this.size += copied;
    }
    return true;
  }
}
