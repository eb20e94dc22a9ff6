/**
 * Bounds the exports that are under way: the memory of each, and of an archive the space on the disk. The pages of all are
 * read by turns (`objects/server/search/pages.ts`), and none is read for who does not read what there is.
 */
import type { Core } from '@strapi/strapi';
import { pipeline, Transform, type Readable, type TransformCallback } from 'node:stream';
import { Admission, type Transfer } from '../../core/admission';
import type { Format } from './format';

/** Tables of a caller and of all: each keeps some pages, and a list of IDs. */
const TABLES = { places: 24, placesOfOne: 6 } as const;

/** Archives of a caller and of all: each keeps tables in temporary files. */
const ARCHIVES = { places: 8, placesOfOne: 2 } as const;

interface Admissions {
  readonly tables: Admission;
  readonly archives: Admission;
}

const all = new WeakMap<Core.Strapi, Admissions>();

/** The admission of a service's exports in a format. */
export function admissionOf(strapi: Core.Strapi, { isTable }: Format): Admission {
  const known = all.get(strapi) ?? {
    tables: new Admission(TABLES),
    archives: new Admission(ARCHIVES),
  };
  all.set(strapi, known);
  return isTable ? known.tables : known.archives;
}

/** The same bytes, by which it is known how fast they are taken; they break off when the transfer is evicted. */
export function paced(content: Readable, transfer: Transfer): Readable {
  const pace = new Pace(transfer);
  transfer.whenFull(() => pace.destroy(new Error('evicted: it is read too slowly')));
  pipeline(content, pace, () => undefined);
  return pace.once('close', () => transfer.leave());
}

/** Passes on one piece after the other. */
class Pace extends Transform {
  private given = 0;

  constructor(private readonly transfer: Transfer) {
    super({ highWaterMark: 1 });
  }

  override _transform(chunk: Buffer, _: string, done: TransformCallback): void {
    this.given += chunk.length;
    this.transfer.itsTurn();
    done(null, chunk);
  }

  /** What was given has been taken, and more is wanted. */
  override _read(size: number): void {
    if (this.given > 0) this.transfer.moved(this.given);
    this.given = 0;
    super._read(size);
  }
}
