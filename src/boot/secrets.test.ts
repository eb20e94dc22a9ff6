import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSecrets } from './secrets';
import { StartError } from '../core/start-error';

describe('the secrets', () => {
  let dataDir: string;
  const file = (): string => join(dataDir, 'secrets.json');

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'oms secrets '));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  test('are made once, and are the same at the next start', () => {
    const first = readSecrets({ secret: null, dataDir });
    expect(readSecrets({ secret: null, dataDir })).toEqual(first);
    expect(readdirSync(dataDir).sort()).toEqual(['public', 'secrets.json']);
  });

  test('differ from each other and between installations', () => {
    const other = mkdtempSync(join(tmpdir(), 'oms secrets '));
    const values = [dataDir, other].flatMap((folder) =>
      Object.values<string | readonly string[]>({
        ...readSecrets({ secret: null, dataDir: folder }),
      }).flat(),
    );
    rmSync(other, { recursive: true });
    expect(values).toHaveLength(14);
    expect(new Set(values).size).toBe(14);
  });

  test('are for their owner alone, also when the file was opened up', () => {
    readSecrets({ secret: null, dataDir });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    chmodSync(file(), 0o644);
    readSecrets({ secret: null, dataDir });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  test('are derived from a secret that several servers share, and nothing is kept then', () => {
    const secret = 'x'.repeat(32);
    const other = readSecrets({ secret, dataDir: '/nonexistent' });
    expect(readSecrets({ secret, dataDir })).toEqual(other);
    expect(readdirSync(dataDir)).toEqual([]);
  });

  test.each(['', '{', '{}', '{"secret": "short"}', '[]'])(
    'do not start over a damaged file: %s',
    (text) => {
      writeFileSync(file(), text);
      expect(() => readSecrets({ secret: null, dataDir })).toThrow(StartError);
      expect(readFileSync(file(), 'utf8')).toBe(text);
    },
  );
});
