import type { Core } from '@strapi/strapi';
import type { Database } from './database';
import { PostgresDatabase } from './postgres';
import { SqliteDatabase } from './sqlite';

/** The database that Strapi has been configured with, after it has connected. */
export const openDatabase = (strapi: Core.Strapi): Database =>
  strapi.db.dialect.client === 'postgres'
    ? new PostgresDatabase(strapi)
    : new SqliteDatabase(strapi);
