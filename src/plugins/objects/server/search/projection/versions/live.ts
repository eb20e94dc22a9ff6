/** The versions of projections as a running service knows them: which one is read, and which ones are written. */
import { fail } from '../../../../../../core/errors';
import type { Database } from '../../../database/database';
import type { Row } from '../../../database/work';
import type { SearchIndexDeclaration, SearchTable } from '../../../declare/search-table';
import { indexedFields } from '../../../define/searched';
import { usableBy } from './declared';
import type { OwnProjection } from './register';
import { WITHHELD_TYPES } from './in-place';
import { lastNumber, versionOf, VERSIONS, type StoredVersion } from './stored';

/** Milliseconds after which it is seen that another server reads a version that is complete. */
const FOLLOW = 1000;

/** Seconds until a search is tried again that nothing can answer yet. */
const RETRY_AFTER = '10';

/** A version that is not the one that this code declares. */
export interface OtherVersion {
  readonly version: StoredVersion;
  /** As far as this code knows its columns. */
  readonly table: SearchTable;
  /** Whether objects may have rows for other audiences in it than they have now. */
  readonly isExactOnly: boolean;
}

/** What searches of a type read while the version that this code declares is being filled. */
export interface Earlier {
  readonly table: SearchTable;
  readonly hasWords: boolean;
  readonly isExactOnly: boolean;
  /** The columns that it does not have. */
  readonly lacking: ReadonlySet<string>;
}

/** Of a type. */
interface Known {
  readonly isComplete: boolean;
  readonly earlier: Earlier | null;
  readonly others: readonly OtherVersion[];
}

const NOTHING: readonly OtherVersion[] = [];

/** @throws ApiError NOT_READY always: a search that cannot be answered before a version is complete */
export function notReady(): never {
  throw fail('NOT_READY', {}, { 'Retry-After': RETRY_AFTER });
}

export class Projections {
  private readonly known = new Map<string, Known>();
  private readonly names = new Map<string, string>();
  private readonly unread = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private last = 0;

  /** @param stored all that there are once this code has registered its own */
  constructor(
    private readonly own: readonly OwnProjection[],
    stored: readonly StoredVersion[],
  ) {
    for (const { resource, hash } of own) {
      const version = stored.find((one) => one.type === resource.type && one.hash === hash);
      if (!version) throw new RangeError(`the projection of ${resource.type} is not registered`);
      this.names.set(resource.type, version.table);
    }
    this.learn(stored);
  }

  /** The last that this code has registered: where there is a greater one, later code has been here. */
  get number(): number {
    return this.last;
  }

  /** The types whose words are not read yet, as they were made for other readers. */
  get withheld(): ReadonlySet<string> {
    return this.unread;
  }

  /** Learns what is registered, once all of it is. */
  async open(database: Pick<Database, 'read'>): Promise<void> {
    const [[last] = []] = await database.read(lastNumber);
    this.last = Number(last ?? 0);
    await this.learnWithheld(database);
  }

  /** The name of the table that this code declares. */
  tableOf = (type: string): string => this.names.get(type) ?? '';

  hashOf(type: string): string {
    return this.own.find(({ resource }) => resource.type === type)?.hash ?? '';
  }

  /** The further versions that a change of objects of a type writes. */
  others(type: string): readonly OtherVersion[] {
    return this.known.get(type)?.others ?? NOTHING;
  }

  /**
   * What searches of a type read in place of its table; null for that table itself.
   *
   * @throws ApiError NOT_READY where there is nothing
   */
  earlier(type: string): Earlier | null {
    const known = this.known.get(type);
    if (!known || known.isComplete) return null;
    return known.earlier ?? notReady();
  }

  /** The name of the table that searches of a type read; null where there is none. */
  tableRead(type: string): string | null {
    const known = this.known.get(type);
    return known?.isComplete ? this.tableOf(type) : (known?.earlier?.table.name ?? null);
  }

  /**
   * The name of the table with these fields that is read for callers who see all objects of a type exactly.
   *
   * @throws ApiError NOT_READY where there is none
   */
  tableWith(type: string, fields: readonly string[]): string {
    const earlier = this.earlier(type);
    if (!earlier) return this.tableOf(type);
    return fields.every((name) => earlier.table.fields.includes(name))
      ? earlier.table.name
      : notReady();
  }

  /** The types whose tables are being filled. */
  get filling(): string[] {
    return [...this.known].filter(([, { isComplete }]) => !isComplete).map(([type]) => type);
  }

  /** Whether there is nothing to be filled, and nothing to be removed. */
  get isSteady(): boolean {
    const known = [...this.known.values()];
    return (
      this.unread.size === 0 && known.every((one) => one.isComplete && one.others.length === 0)
    );
  }

  /** Reads what other servers may have changed: nothing, while all is steady, as earlier code is not running any more. */
  async refresh(database: Pick<Database, 'read'>): Promise<void> {
    if (this.isSteady) return;
    this.learn((await database.read(VERSIONS)).map((row: Row) => versionOf(row)));
    await this.learnWithheld(database);
  }

  /** No job: each process reads for itself. */
  watch(database: Pick<Database, 'read'>): void {
    if (this.isSteady) return;
    this.timer = setInterval(() => {
      if (this.isSteady) return this.close();
      this.refresh(database).catch(() => undefined);
    }, FOLLOW).unref();
  }

  close(): void {
    clearInterval(this.timer);
  }

  private async learnWithheld(database: Pick<Database, 'read'>): Promise<void> {
    const rows = await database.read(WITHHELD_TYPES);
    this.unread.clear();
    for (const [type] of rows) this.unread.add(String(type));
  }

  private learn(stored: readonly StoredVersion[]): void {
    for (const own of this.own) {
      const { type } = own.resource;
      const versions = stored.filter((one) => one.type === type);
      const version = versions.find(({ hash }) => hash === own.hash);
      // Later code has been here: this one answers no more, and what it knows stays as it is.
      if (!version) continue;
      const others = versions.flatMap((one) => otherOf(own, one) ?? []);
      const isComplete = version.state === 'active';
      const active = others.find((one) => one.version.state === 'active');
      this.known.set(type, {
        isComplete,
        others,
        earlier: active && !isComplete ? earlierOf(own, active) : null,
      });
    }
  }
}

function otherOf(own: OwnProjection, version: StoredVersion): OtherVersion | null {
  if (version.hash === own.hash) return null;
  const usable = usableBy(own.declared, version.declared);
  if (!usable) return null;
  const has = ({ name }: SearchIndexDeclaration): boolean =>
    sameIndex(own, version, `${name}_told`) && sameIndex(own, version, `${name}_inside`);
  const indexes = own.table.indexes.filter(has);
  return {
    version,
    isExactOnly: usable.isExactOnly,
    table: {
      ...own.table,
      name: version.table,
      fields: usable.fields,
      indexes,
      indexed: indexedFields(indexes).filter((name) => usable.fields.includes(name)),
    },
  };
}

function sameIndex(own: OwnProjection, { declared }: StoredVersion, name: string): boolean {
  const [mine, theirs] = [own.declared, declared].map(({ indexes }) =>
    JSON.stringify(indexes.find((one) => one.name === name)),
  );
  return mine !== undefined && mine === theirs;
}

function earlierOf(own: OwnProjection, { version, table }: OtherVersion): Earlier | null {
  const usable = usableBy(own.declared, version.declared);
  if (!usable) return null;
  const { hasWords, isExactOnly } = usable;
  const lacking = own.table.fields
    .filter((name) => !usable.fields.includes(name))
    .flatMap((name) => own.resource.fields.get(name)?.columns ?? []);
  return { table, hasWords, isExactOnly, lacking: new Set(lacking) };
}
