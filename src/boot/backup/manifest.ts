/** What a backup says of itself, and how it is laid out: a zip, of which the manifest is the last file. */
import { array, number, object, string, type InferType } from 'yup';

/** The layout of this release; a later one is refused. */
export const FORMAT = 1;

export const MANIFEST = 'manifest.json';
export const SECRETS = 'secrets.json';
/** The SHA-256 of each photograph's file and its name, as `sha256sum` writes them. */
export const SUMS = 'files.sha256';
export const DATABASES = { sqlite: 'database.sqlite', postgres: 'database.dump' } as const;
/** The folder of photographs. */
export const FILES = 'files/';

/** The name of a file of a photograph: its key, and that of a rendition. */
export const FILE_NAME = /^[0-9a-f-]{36}(?:-(?:thumbnail|small|large)\.webp)?$/;

/** A file of a backup. */
export interface BackupPart {
  /** Bytes, before they are compressed. */
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
}

const part = object({
  size: number().integer().min(0).required(),
  sha256: string()
    .matches(/^[0-9a-f]{64}$/)
    .required(),
});

/** Checks a manifest. */
export const manifestSchema = object({
  format: number().oneOf([FORMAT]).required(),
  /** Of the release that has made the backup. */
  version: string().required(),
  created_at: string().required(),
  database: string().oneOf(['sqlite', 'postgres']).required(),
  /** The major version of PostgreSQL; null with SQLite. */
  server: number().integer().nullable().defined(),
  /** The migrations that the database has, in their order. */
  migrations: array(string().required()).required(),
  /** The rows of each table. */
  tables: array(
    object({ name: string().required(), rows: number().integer().required() }),
  ).required(),
  /** The files of photographs, and those that the database names and the storage did not have. */
  files: object({
    count: number().integer().required(),
    bytes: number().required(),
    missing: number().integer().required(),
  }).required(),
  parts: object({
    database: part.required(),
    sums: part.required(),
    /** Null where the secret is in OMS_SECRET. */
    secrets: part.nullable().defined(),
  }).required(),
});

export type Manifest = InferType<typeof manifestSchema>;
