import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWriteProbe } from './write-probe';

describe('a probe of a folder', () => {
  let parent: string;
  let folder: string;
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'oms probe '));
    folder = join(parent, 'data');
    mkdirSync(folder);
  });
  afterEach(() => rmSync(parent, { recursive: true }));

  test('finds that it can be written, and leaves nothing there', async () => {
    expect(await createWriteProbe(folder, () => 0)()).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('finds out that it no longer can, within a second', async () => {
    let now = 0;
    const probe = createWriteProbe(folder, () => now);
    expect(await probe()).toBe(true);
    // Not even root can write below a file as if it were a folder.
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
    now = 999;
    expect(await probe()).toBe(true);
    now = 1000;
    expect(await probe()).toBe(false);
  });

  test('asks the disk once for all who ask at the same time', () => {
    const probe = createWriteProbe(folder, () => 0);
    expect(probe()).toBe(probe());
  });
});
