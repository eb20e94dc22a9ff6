import { nameKey } from './name-key';

describe('the key of a name', () => {
  test.each([
    [
      { scientific_name: 'Equus quagga', rank: 'species' },
      { scientific_name: 'EQUUS QUAGGA', rank: 'Species' },
    ],
    [{ scientific_name: 'Équus' }, { scientific_name: 'éQUUS', rank: null }],
    [{ scientific_name: 'Ovis aries × musimon' }, { scientific_name: 'Ovis aries x musimon' }],
    [{ scientific_name: 'Ovis aries × musimon' }, { scientific_name: 'Ovis aries ×musimon' }],
    [{ scientific_name: 'Ovis aries × musimon' }, { scientific_name: 'Ovis  aries X  musimon' }],
    [{ scientific_name: '×Mahoberberis' }, { scientific_name: 'x Mahoberberis' }],
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
    [{ scientific_name: 'Xema sabini' }, { scientific_name: '× ema sabini' }],
    [{ scientific_name: 'Vitex sp' }, { scientific_name: 'Vite× sp' }],
    [{ scientific_name: 'Aus x' }, { scientific_name: 'Aus ×' }],
    [{ scientific_name: 'Aus xbus' }, { scientific_name: 'Aus ×bus' }],
  ])('is another for %j and %j', (first, second) => {
    expect(nameKey(first)).not.toBe(nameKey(second));
  });
});
