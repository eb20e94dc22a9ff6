import { importKey } from './computed-values';

describe('the key of an import', () => {
  test.each([
    [{}],
    [{ source: 's' }],
    [{ external_id: 'x' }],
    [{ source: '', external_id: 'x' }],
    [{ source: 's', external_id: '' }],
    [{ source: null, external_id: null, owner: 'o' }],
  ])('is null for %j', (encounter) => {
    expect(importKey(encounter)).toBeNull();
  });

  test('is that of the source, whoever the owner is', () => {
    const key = importKey({ source: 's', external_id: 'x' });
    expect(key).not.toBeNull();
    expect(importKey({ source: 's', external_id: 'x', owner: 'o' })).toBe(key);
  });

  test('is that of the owner where there is no source', () => {
    const [first, second] = ['o', 'p'].map((owner) => importKey({ external_id: 'x', owner }));
    expect(first).not.toBeNull();
    expect(first).not.toBe(second);
  });

  test('differs for different values, also if their concatenations are equal', () => {
    const keys = [
      { source: 'a', external_id: 'bc' },
      { source: 'ab', external_id: 'c' },
      { source: 'a', external_id: 'BC' },
      { owner: 'a', external_id: 'bc' },
    ].map(importKey);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
