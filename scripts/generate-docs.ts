/** `npm run docs`: writes the generated pages. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appRoot } from '../src/boot/app-root';
import { boot } from '../src/boot/boot';
import { exitWith, useProduction } from '../src/boot/run';
import { generatedFiles } from '../src/endpoints/generated-files';

async function main(): Promise<void> {
  useProduction();
  // A separate database: the pages depend on the code only.
  const dataDir = mkdtempSync(join(tmpdir(), 'oms-docs-'));
  Object.assign(process.env, {
    OMS_DATA_DIR: dataDir,
    DATABASE_CLIENT: 'sqlite',
    DATABASE_URL: '',
    LOG_LEVEL: 'error',
  });
  const service = await boot({ listen: false });
  for (const [path, text] of generatedFiles(service.strapi)) {
    writeFileSync(join(appRoot, path), text);
  }
  await service.close();
  rmSync(dataDir, { recursive: true, force: true });
}

main().catch(exitWith);
