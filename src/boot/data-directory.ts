import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, StartError } from '../core/start-error';

/**
 * The folder that Strapi may serve: nothing but `uploads/`. It lies inside the data directory and is never that
 * directory itself, which holds the database and the secrets.
 */
export function publicDirectory(dataDir: string): string {
  return join(dataDir, 'public');
}

/**
 * Makes the data directory with what Strapi wants to find in it (its upload provider ends the start when
 * `uploads` is missing), for this user alone.
 *
 * @throws StartError when it cannot be made or written.
 */
export function makeDataDirectory(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    mkdirSync(join(publicDirectory(dataDir), 'uploads'), { recursive: true });
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartError(
      `OMS_DATA_DIR="${dataDir}" cannot be written (${errorCode(error)}); give a folder that this user may write.`,
    );
  }
}
