/** The machine and the settings: what can be said without the database. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, errorText } from '../../core/start-error';
import { VARIABLE_NAMES, type Environment } from '../environment';
import { roomOf } from '../facts';
import { OLD_NODE, oldNode } from '../node-release';
import { toldUnknown, unknownVariables } from '../unknown-variables';
import { look, ok, wrong, type Finding } from './findings';
import { LITTLE_ROOM } from './thresholds';

/** Milliseconds that a mail server has to answer. */
const PATIENCE = 10_000;

export function examineNode(): Finding {
  const { version } = process;
  return oldNode(version) ? look('node', `${version}: ${OLD_NODE}`) : ok('node', version);
}

export function examineVariables(env: NodeJS.ProcessEnv): Finding[] {
  const unknown = unknownVariables(env, VARIABLE_NAMES);
  if (unknown.length === 0) return [ok('variables', 'none that is misspelled')];
  return unknown.map((one) => wrong('variables', `${toldUnknown(one)}: correct or remove it`));
}

export function examineAddress({ publicUrl, trustedProxies, host }: Environment): Finding[] {
  const { protocol, hostname } = new URL(publicUrl);
  const isLocal = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
  if (protocol === 'http:' && !isLocal)
    return [
      wrong(
        'proxy',
        `PUBLIC_URL=${publicUrl} is without TLS: passwords can be read on the way; put a proxy with TLS in front (deploy/nginx.conf)`,
      ),
    ];
  if (protocol === 'https:' && trustedProxies.length === 0)
    return [
      look(
        'proxy',
        'TRUSTED_PROXIES is empty: all callers behind the proxy share the limits of one; name its address',
      ),
    ];
  const own = ['127.0.0.1', 'localhost', '::1'].includes(host);
  return [ok('proxy', `${publicUrl}, listening on ${own ? 'this machine alone' : host}`)];
}

/** Whether others than this user may read what is in the data directory. */
export function examineModes({ dataDir, database }: Environment): Finding[] {
  const files = ['secrets.json', ...(database.client === 'sqlite' ? ['db.sqlite'] : [])]
    .map((name) => join(dataDir, name))
    .filter((path) => existsSync(path));
  const open = [dataDir, ...files].filter((path) => (statSync(path).mode & 0o077) !== 0);
  const uid = process.getuid?.();
  const foreign = files.filter((path) => uid !== undefined && statSync(path).uid !== uid);
  return [
    ...open.map((path) => wrong('modes', `${path} is open to others: chmod go= ${path}`)),
    ...foreign.map((path) =>
      look(
        'modes',
        `${path} belongs to another user than this one: run this as the user of the service`,
      ),
    ),
    ...(open.length + foreign.length === 0
      ? [ok('modes', `${dataDir} is for its user alone`)]
      : []),
  ];
}

export async function examineRoom({ dataDir }: Environment): Promise<Finding> {
  const { free, all } = await roomOf(dataDir);
  const told = `${Math.floor((free / all) * 100)} % (${Math.floor(free / 2 ** 30)} GiB) of the file system of ${dataDir} is free`;
  return free / all < LITTLE_ROOM
    ? wrong('room', `${told}: make room before it is full`)
    : ok('room', told);
}

export async function examineMail({ smtpUrl }: Environment): Promise<Finding> {
  if (smtpUrl === null)
    return look(
      'mail',
      'SMTP_URL is empty: mails are files in OMS_DATA_DIR/mail, and nobody gets one',
    );
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: PATIENCE,
    greetingTimeout: PATIENCE,
    socketTimeout: PATIENCE,
  });
  const { host } = new URL(smtpUrl);
  try {
    await transport.verify();
    return ok('mail', `${host} answers, and takes this user`);
  } catch (error) {
    return wrong('mail', `${host} takes no mail (${mailReason(error)}): check SMTP_URL`);
  } finally {
    transport.close();
  }
}

/** A code and not the text, which may have what was sent. */
const mailReason = (error: unknown): string => {
  const code = errorCode(error);
  return code === 'unknown' ? errorText(error).slice(0, 200) : code;
};

export function examineBackupSettings({ backup }: Environment): Finding[] {
  if (!backup) return [];
  return existsSync(backup.folder)
    ? []
    : [wrong('backup', `BACKUP_DIR=${backup.folder} is not there: make or mount it`)];
}
