/**
 * Creates assets, completely or not at all: the image is decoded in another process, the files are written before the
 * row.
 */
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Caller } from '../../../core/caller';
import { claimOf } from '../../../core/claim';
import type { Clock } from '../../../core/clock';
import { ApiError, fail, issue, malformed, type Issue } from '../../../core/errors';
import { errorText } from '../../../core/start-error';
import type { Database } from '../../objects/server/database/database';
import { RENDITION_NAMES, type RenditionName } from '../../objects/server/kinds/renditions';
import type { Body, CreateChange } from '../../objects/server/declare/objects';
import type { Objects } from '../../objects/server/types';
import type { Decoders } from './images/decoders';
import type { DecodedImage, Rejection } from './images/image';
import { expectFiles, forgetFiles, GRACE } from './ledger';
import type { Storage } from './storage/storage';

/** A file on this machine, which is not moved. */
export interface GivenFile {
  readonly path: string;
  readonly size: number;
  /** Of its bytes, hex. */
  readonly sha256: string;
  readonly name: string | null;
}

/** A created asset. */
export interface Added {
  readonly id: string;
  /** The secret of a caller without an account. */
  readonly claim: string | null;
}

interface Parts {
  readonly objects: Objects;
  readonly database: Database;
  readonly storage: Storage;
  readonly decoders: Decoders;
  /** Where renditions are made. */
  readonly folder: string;
  readonly report: (message: string) => void;
  readonly clock: Clock;
}

/** Milliseconds that a claim to an upload lasts. */
const CLAIM_LASTS = 24 * 60 * 60_000;

/** The names under which the files of an asset are kept. */
export const originalName = (files: string): string => files;
export const renditionName = (files: string, name: RenditionName): string =>
  `${files}-${name}.webp`;
const allNames = (files: string): string[] => [
  originalName(files),
  ...RENDITION_NAMES.map((name) => renditionName(files, name)),
];

export class Assets {
  constructor(private readonly parts: Parts) {}

  /**
   * Makes an asset of a file.
   *
   * @param body its other fields, by their wire names
   * @param issues what is wrong already
   * @throws ApiError ENTITY_EXISTS with the ID for a file that its owner has sent before, UNAVAILABLE when the decoders
   *   are busy or the storage fails, and the refusals of any create
   */
  async add(
    file: GivenFile | null,
    body: Body,
    caller: Caller,
    issues: readonly Issue[] = [],
  ): Promise<Added> {
    const { id: given } = body;
    // One that is no UUID is refused with the other fields.
    const id = typeof given === 'string' ? given.toLowerCase() : randomUUID();
    const named = { ...(file?.name ? { filename: file.name } : {}), ...body, id };
    const claim = caller.role === 'anonymous' ? claimOf(body) : null;
    const change = (set: Body): CreateChange => ({
      op: 'create',
      type: 'asset',
      body: named,
      set,
      ...(claim === null
        ? {}
        : { claim: { hash: claim.hash, endsAt: this.parts.clock() + CLAIM_LASTS } }),
    });
    await this.check(change({ sha256: file?.sha256 ?? null }), caller, issues);
    if (!file) throw malformed([issue('file', 'REQUIRED', {})]);
    await this.decodeAndKeep(file, change, caller);
    return { id, claim: claim?.text ?? null };
  }

  /** Removes the files that have this name in common. */
  async removeFiles(files: string): Promise<void> {
    for (const name of allNames(files)) await this.parts.storage.remove(name);
    await this.parts.database.write(() => forgetFiles(files));
  }

  /**
   * Makes the renditions of a photograph anew, from its original.
   *
   * @param size of the original
   * @returns the bytes of each, which are to be stored with its row; null where the original cannot be had or decoded
   */
  async renditionsAnew(files: string, size: number): Promise<DecodedImage['renditions'] | null> {
    const { decoders, folder, storage } = this.parts;
    const found = await storage.read(originalName(files), { start: 0, end: size - 1 }, size);
    if (found === null) return null;
    const original = join(folder, randomUUID());
    const made = this.pathsOf(randomUUID());
    try {
      await writeFile(original, found, { mode: 0o600 });
      const result = await decoders.run({ file: original, renditions: made }, '');
      if (!result.ok) return null;
      for (const name of RENDITION_NAMES)
        await storage.put(renditionName(files, name), made[name], 'image/webp');
      return result.image.renditions;
    } finally {
      for (const path of [original, ...Object.values(made)]) await rm(path, { force: true });
    }
  }

  /** Where renditions are while they are made. */
  private pathsOf(files: string): Record<RenditionName, string> {
    const { folder } = this.parts;
    return Object.fromEntries(
      RENDITION_NAMES.map((name) => [name, join(folder, renditionName(files, name))]),
    ) as Record<RenditionName, string>;
  }

  /** Everything that is wrong but the image itself, before it costs anything. */
  private async check(
    change: CreateChange,
    caller: Caller,
    issues: readonly Issue[],
  ): Promise<void> {
    try {
      await this.parts.objects.check(change, caller);
    } catch (error) {
      if (issues.length === 0 || !(error instanceof ApiError) || error.status !== 400) throw error;
      throw malformed([...issues, ...error.invalid]);
    }
    if (issues.length > 0) throw malformed(issues);
  }

  private async decodeAndKeep(
    file: GivenFile,
    change: (set: Body) => CreateChange,
    caller: Caller,
  ): Promise<void> {
    const { decoders, objects } = this.parts;
    const files = randomUUID();
    const made = this.pathsOf(files);
    try {
      const job = { file: file.path, renditions: made };
      const result = await decoders.run(job, caller.network ?? '');
      if (!result.ok && 'failure' in result) throw this.unavailable(result.failure);
      if (!result.ok) throw malformed([rejected(result.rejection)]);
      await this.keeping(files, async () => {
        await this.keep(files, file.path, result.image, made);
        await objects.write(change(stored(files, file, result.image)), caller);
      });
    } finally {
      await Promise.all(Object.values(made).map((path) => rm(path, { force: true })));
    }
  }

  /** Writes down what is on its way before it is; what comes to nothing leaves nothing. */
  private async keeping(files: string, work: () => Promise<void>): Promise<void> {
    await this.parts.database.write(() => expectFiles(files, this.parts.clock() + GRACE));
    try {
      await work();
    } catch (error) {
      // Where this fails too, the sweep has it on its list.
      await this.removeFiles(files).catch(() => undefined);
      throw error;
    }
  }

  private async keep(
    files: string,
    original: string,
    { type }: DecodedImage,
    made: Readonly<Record<RenditionName, string>>,
  ): Promise<void> {
    const { storage } = this.parts;
    try {
      await Promise.all([
        storage.put(originalName(files), original, type),
        ...RENDITION_NAMES.map((name) =>
          storage.put(renditionName(files, name), made[name], 'image/webp'),
        ),
      ]);
    } catch (error) {
      throw this.unavailable(errorText(error));
    }
  }

  private unavailable(reason: string): ApiError {
    this.parts.report(`an upload cannot be kept: ${reason}`);
    return fail('UNAVAILABLE', {}, { 'Retry-After': '60' });
  }
}

const rejected = (rejection: Rejection): Issue =>
  rejection.why === 'pixels'
    ? issue('file', 'TOO_LARGE', { value: rejection.pixels, max: rejection.max })
    : issue('file', 'FORMAT', { expected: EXPECTED_INSTEAD[rejection.why] });

/** What is said of a file that is refused: what it would have to be. */
const EXPECTED_INSTEAD = {
  'no image': 'image',
  empty: 'nonempty_file',
  heic: 'image_not_heic',
  damaged: 'whole_image',
} as const;

const stored = (files: string, { size, sha256 }: GivenFile, image: DecodedImage): Body => ({
  file_key: files,
  sha256,
  size,
  mime_type: image.type,
  width: image.width,
  height: image.height,
  taken_at: image.takenAt,
  latitude: image.latitude,
  longitude: image.longitude,
  camera: image.camera,
  ...Object.fromEntries(RENDITION_NAMES.map((name) => [`${name}_size`, image.renditions[name]])),
});
