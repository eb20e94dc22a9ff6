import { transform } from 'esbuild';
import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readmeProgram, withinPackage } from '../../helpers/client/readme';
import type { ClientService } from '../../helpers/client/service';

const PAGE = join(__dirname, '..', '..', '..', 'docs', 'clients.md');

/** Runs a program. @returns the lines that it prints @throws Error when it fails, or complains */
const linesOf = (
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string[]> =>
  new Promise((resolve, reject) => {
    execFile(command, args, { env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      error || stderr !== ''
        ? reject(new Error(stdout + stderr))
        : resolve(stdout.trim().split(/ *\n/)),
    );
  });

/** The languages of the page, each with what runs a program given as an argument, and what has to be installed. */
const LANGUAGES = [
  ['python', ['python3', '-c'], ['python3', '-c', 'import requests']],
  ['r', ['Rscript', '-e'], ['Rscript', '-e', 'library(httr2); library(jsonlite)']],
  ['sh', ['bash', '-euo', 'pipefail', '-c'], ['bash', '-c', 'command -v curl jq']],
] as const;

const installed = LANGUAGES.filter(
  ([, , [command, ...args]]) => spawnSync(command, args).status === 0,
);

/** The documents for people who write a client: what they show is run. */
export function testDocuments(service: () => ClientService): void {
  test('the program of the README runs, and prints what it should', async () => {
    const { code } = await transform(await readmeProgram(), { loader: 'ts', format: 'esm' });
    const printed = await withinPackage({ 'main.js': code }, (folder) =>
      linesOf(process.execPath, [join(folder, 'main.js')], { OMS_URL: service().cutter.url }),
    );
    expect(printed).toEqual([
      'Ana true',
      'somebody else was faster: version 1',
      'Latitude: 91 is above 90.',
      "female [ 'update', 'delete' ]",
      '1 Ana',
      'create',
      'all sent',
      'This has to be an image: JPEG, PNG, WebP, GIF, TIFF or AVIF.',
      '[ 200, 200 ]',
      'pending',
      '[ null ]',
      'behavior drinking resting running',
      '3 0 null',
      'true null',
    ]);
  });

  test.each(installed)(
    'the program of docs/clients.md runs in %s',
    async (language, [command, ...args]) => {
      const page = await readFile(PAGE, 'utf8');
      const [, code = ''] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(page) ?? [];
      const { client, email, password } = await service().member();
      // More than one page.
      const reports = Array.from({ length: 120 }, (_, at) => ({
        op: 'create' as const,
        type: 'encounter' as const,
        body: { time: `2025-${at < 60 ? '01' : '02'}`, sex: 'male' } as never,
      }));
      const body = { operations: reports };
      await client.answerTo(client.http.POST('/api/v0/batch', { body }));
      const env = { OMS_URL: service().cutter.url, OMS_USER: email, OMS_PASSWORD: password };
      const [first, ...listed] = await linesOf(command, [...args, code], env);
      expect([first, listed.sort()]).toEqual([
        'made',
        [
          ...Array.from({ length: 60 }, () => '2025-01 male'),
          ...Array.from({ length: 60 }, () => '2025-02 male'),
          '2026-03-09 female',
        ],
      ]);
    },
  );

  test('at least Python or a shell is there to run them', () => {
    expect(installed.length).toBeGreaterThan(0);
  });
}
