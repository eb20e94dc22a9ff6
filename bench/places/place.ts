/** Where a contender keeps its records: a data directory and a database. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';

export interface Place {
  /** The data directory, which contains the database with SQLite. */
  readonly folder: string;
  /** The environment variables of this place. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs statements while no contender is running. */
  run(...statements: readonly string[]): Promise<void>;
  /** The rows of one statement, each as the list of its values. */
  rows(statement: string): Promise<readonly (readonly unknown[])[]>;
  /** The names of a table's columns. */
  columns(table: string): Promise<readonly string[]>;
  /** The same records in another place. */
  copy(): Promise<Place>;
  drop(): Promise<void>;
}

export const DATABASES = ['sqlite', 'postgres'] as const;
export type DatabaseName = (typeof DATABASES)[number];

/** A new folder below the one of the run. */
export const newFolder = (parent: string): string => mkdtempSync(join(parent, 'place-'));
