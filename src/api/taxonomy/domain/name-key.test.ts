import { nameKey } from './name-key';

describe('the key of a name', () => {
  test.each([
    [
      { scientific_name: 'Equus quagga', rank: 'species' },
      { scientific_name: 'EQUUS QUAGGA', rank: 'Species' },
    ],
    [{ scientific_name: 'Équus' }, { scientific_name: 'éQUUS', rank: null }],
  ])('is the same for %j and %j', (first, second) => {
    expect(nameKey(first)).toBe(nameKey(second));
  });

  test.each([
    [{ scientific_name: 'Equus' }, { scientific_name: 'Equus', rank: 'genus' }],
    [
      { scientific_name: 'Equus', rank: 'quagga' },
      { scientific_name: 'Equus quagga', rank: null },
    ],
    [{ scientific_name: 'Equus' }, { scientific_name: 'Equüs' }],
  ])('is another for %j and %j', (first, second) => {
    expect(nameKey(first)).not.toBe(nameKey(second));
  });
});
