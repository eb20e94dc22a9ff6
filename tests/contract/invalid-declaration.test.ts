import { copyApp, type AppCopy } from '../helpers/app-copy';
import { startService } from '../helpers/service';
import { ATTRIBUTE, TEXT } from './further-field';

describe('an invalid declaration stops the start with a message', () => {
  const started = async (change: (copy: AppCopy) => void): Promise<void> => {
    const copy = copyApp();
    try {
      change(copy);
      const service = await startService(copy.options);
      await service.close();
    } finally {
      copy.remove();
    }
  };

  test('an attribute without its line', async () => {
    await expect(
      started((copy) => copy.addAttribute('encounter', 'cloudCover', ATTRIBUTE)),
    ).rejects.toThrow(/^ATTRIBUTE_NOT_DECLARED: encounter\.cloudCover: /);
  });

  test('a field of which nothing says what strangers are given', async () => {
    await expect(
      started((copy) => {
        copy.addAttribute('encounter', 'cloudCover', ATTRIBUTE);
        copy.addLine('encounter', `cloud_cover: { ${TEXT} },`);
      }),
    ).rejects.toThrow(/^VIEW_MISSING: encounter\.cloud_cover: /);
  });

  test('a line without its attribute', async () => {
    await expect(
      started((copy) =>
        copy.addLine('taxonomy', "extinct_since: { kind: 'time', description: 'Since when.' },"),
      ),
    ).rejects.toThrow(/^ATTRIBUTE_MISSING: taxonomy\.extinct_since: /);
  });

  test('a field of the table of searches that is misspelt', async () => {
    await expect(started((copy) => copy.addSearched('lifestage'))).rejects.toThrow(
      /^FIELD_UNKNOWN: encounter\.lifestage: /,
    );
  });
});
