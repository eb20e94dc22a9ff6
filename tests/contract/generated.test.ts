import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedFiles } from '#app/endpoints/generated-files';
import { startService, type TestService } from '../helpers/service';

let service: TestService;
beforeAll(async () => {
  service = await startService({ listen: false });
});
afterAll(() => service.close());

test('what is generated is committed as the code says it: `npm run docs` has been run', () => {
  const files = [...generatedFiles(service.strapi)];
  expect(files).toHaveLength(3);
  for (const [path, text] of files) {
    expect({ path, text: readFileSync(join(__dirname, '..', '..', path), 'utf8') }).toEqual({
      path,
      text,
    });
  }
});
