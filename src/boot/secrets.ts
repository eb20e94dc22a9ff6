import { hkdfSync, randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { object, string } from 'yup';
import type { Environment } from './environment';
import { makeDataDirectory } from './data-directory';
import { errorCode, StartError } from '../core/start-error';

/** The secrets with which Strapi and its plugins sign, salt and encrypt. */
export interface Secrets {
  readonly appKeys: readonly string[];
  readonly apiTokenSalt: string;
  readonly adminJwtSecret: string;
  readonly transferTokenSalt: string;
  readonly encryptionKey: string;
  readonly jwtSecret: string;
  /** Of the hash by which a database knows the secret (`installation.ts`). */
  readonly fingerprintKey: string;
}

const fileSchema = object({ secret: string().min(32).required() });

/**
 * The secrets of this installation. All are derived from one (RFC 5869), so that a new secret does not change what is
 * stored: from OMS_SECRET where several servers share it, otherwise from `<OMS_DATA_DIR>/secrets.json`, which the first
 * start fills at random.
 *
 * @throws StartError when the file can neither be read nor made.
 */
export function readSecrets({ secret, dataDir }: Pick<Environment, 'secret' | 'dataDir'>): Secrets {
  const master = secret ?? keptSecret(dataDir);
  const derive = (purpose: string): string =>
    Buffer.from(hkdfSync('sha256', master, '', `oms ${purpose}`, 32)).toString('base64url');
  return {
    appKeys: [derive('app key')],
    apiTokenSalt: derive('api token salt'),
    adminJwtSecret: derive('admin jwt'),
    transferTokenSalt: derive('transfer token salt'),
    encryptionKey: derive('encryption key'),
    jwtSecret: derive('users jwt'),
    fingerprintKey: derive('fingerprint'),
  };
}

/** Whether there is a secret: `readSecrets` would make one. */
export const hasSecret = ({ secret, dataDir }: Pick<Environment, 'secret' | 'dataDir'>): boolean =>
  secret !== null || existsSync(join(dataDir, SECRETS));

const SECRETS = 'secrets.json';

function keptSecret(dataDir: string): string {
  makeDataDirectory(dataDir);
  const file = join(dataDir, SECRETS);
  return read(file) ?? make(file);
}

function read(file: string): string | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
    if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw new StartError(
      `${file} cannot be read (${errorCode(error)}); it must belong to this user.`,
    );
  }
  try {
    return fileSchema.validateSync(JSON.parse(text), { strict: true }).secret;
  } catch {
    throw new StartError(
      `${file} is damaged; restore it from a backup (without it, signed-in sessions and stored tokens end).`,
    );
  }
}

/**
 * A hard link either creates the whole file or fails because another process was first, whose file is used then.
 * Neither a crash nor a second process can leave a partial file or a second secret.
 */
function make(file: string): string {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    const secret = randomBytes(32).toString('base64url');
    writeFileSync(draft, `${JSON.stringify({ secret }, null, 2)}\n`, {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    });
    linkSync(draft, file);
    return secret;
  } catch (error) {
    const kept = errorCode(error) === 'EEXIST' ? read(file) : null;
    if (kept !== null) return kept;
    throw new StartError(`${file} cannot be written (${errorCode(error)}).`);
  } finally {
    rmSync(draft, { force: true });
  }
}
