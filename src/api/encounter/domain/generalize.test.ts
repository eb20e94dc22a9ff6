import { cellAt, generalTime, obscuredPlace, publicCustomFields } from './generalize';

describe('the cell of a position', () => {
  test.each<[number, number, number, number]>([
    [0, 0, 0.1, 0.1],
    [0.2, 0.2, 0.3, 0.3],
    [0.1999999, 0.1, 0.1, 0.1],
    [0.19999999, 0.1, 0.3, 0.1],
    [0.6, 0.7, 0.7, 0.7], // 0.6 / 0.2 is 2.9999999999999996
    [-0.05, -0.2, -0.1, -0.1],
    [-0.2000001, -0.4, -0.3, -0.3],
    [-2.333, 34.8333, -2.3, 34.9],
    [90, 180, 89.9, 179.9],
    [89.8, 179.8, 89.9, 179.9],
    [-90, -180, -89.9, -179.9],
  ])('%d, %d has the centre %d, %d', (latitude, longitude, north, east) => {
    expect(cellAt(latitude, longitude)).toMatchObject({ latitude: north, longitude: east });
  });

  test('is the same for all that is in it, and holds it', () => {
    for (let tenth = -900; tenth < 900; tenth += 7) {
      const { latitude, bounds } = cellAt(tenth / 10, 0);
      expect(bounds.south).toBeLessThanOrEqual(tenth / 10);
      expect(bounds.north).toBeGreaterThan(tenth / 10);
      expect(cellAt(latitude, 0.05).latitude).toBe(latitude);
      expect(cellAt(bounds.south, 0).latitude).toBe(latitude);
    }
  });

  test.each([
    [0.05, 15_726],
    [45.05, 13_615],
    [-45.05, 13_615],
    [89.9, 11_120],
    [-90, 11_120],
  ])('at %d its far corner is %d metres from its centre', (latitude, metres) => {
    expect(cellAt(latitude, 10).radius).toBe(metres);
  });
});

describe('an obscured place', () => {
  const region = (id: string, parent: string | null, bbox: number[] | null) =>
    ({ id, parent, name: {}, bbox }) as never;
  const regions = [
    region('world', null, [-180, -90, 180, 90]),
    region('park', 'world', [34, -3, 35.5, -1]),
    region('valley', 'park', [34.8, -2.4, 35, -2.2]),
    region('camp', 'valley', [34.81, -2.39, 34.83, -2.37]),
    region('bare', 'valley', null),
    region('fiji', 'world', [177, -20, -178, -16]),
    region('lone', null, null),
  ];
  const at = { latitude: -2.383, longitude: 34.822 };

  test.each([
    ['camp', 'valley'],
    ['bare', 'valley'],
    ['valley', 'valley'],
    ['park', 'park'],
    ['world', 'world'],
    ['lone', null],
    ['fiji', 'world'],
    ['nowhere', null],
    [null, null],
  ])('in %s is told to be in %s', (location_id, told) => {
    expect(obscuredPlace({ ...at, location_id }, regions).location_id).toBe(told);
  });

  test.each([
    [-18, 179.9, 'fiji'],
    [-18, -179.9, 'fiji'],
    [-18, -178.1, 'fiji'],
    [-18, -177.9, 'world'],
    [-18, 176.9, 'world'],
    [-15.9, 179, 'world'],
  ])('at %d, %d is in a box across the date line: %s', (latitude, longitude, told) => {
    expect(obscuredPlace({ latitude, longitude, location_id: 'fiji' }, regions).location_id).toBe(
      told,
    );
  });

  test('is told alike wherever it is in its cell', () => {
    const inOne = (...more: never[]) => [...regions, ...more];
    const told = (location_id: string, all: never[]): unknown =>
      obscuredPlace({ ...at, location_id }, all).location_id;
    const [north, south] = [
      region('north', 'valley', [34.8, -2.3, 35, -2.2]),
      region('south', 'valley', [34.8, -2.4, 35, -2.3]),
    ];
    expect([told('north', inOne(north, south)), told('south', inOne(north, south))]).toEqual([
      'valley',
      'valley',
    ]);
    // Two that hold the whole cell, or another tree over the same place: which of them would be told apart.
    const [one, other] = [
      region('one', 'park', [34.6, -2.6, 35.2, -2]),
      region('other', 'park', [34.7, -2.5, 35.1, -2.1]),
    ];
    expect([told('one', inOne(one, other)), told('other', inOne(one, other))]).toEqual([
      'park',
      'park',
    ]);
    expect(told('valley', inOne(region('reserves', null, [34, -3, 35, -2])))).toBeNull();
    // It only touches an edge of the cell, from outside.
    expect(told('valley', inOne(region('next', 'park', [35, -2.4, 35.2, -2.2])))).toBe('park');
  });

  test('does not hang on regions that lead in a circle', () => {
    const circle = [region('a', 'b', null), region('b', 'a', null)];
    expect(obscuredPlace({ ...at, location_id: 'a' }, circle).location_id).toBeNull();
  });

  test('is the centre of the cell', () => {
    expect(obscuredPlace(at, [])).toMatchObject({ latitude: -2.3, longitude: 34.9 });
  });

  test('has the uncertainty of the cell, or its own if that is larger, rounded up to 1, 2 or 5', () => {
    const uncertain = (coordinate_uncertainty: number | null) =>
      obscuredPlace({ ...at, coordinate_uncertainty }, []).coordinate_uncertainty;
    expect([null, 0, 30, 15_000].map(uncertain)).toEqual(Array(4).fill(15_720));
    expect([15_721, 20_000, 20_000.5, 50_000, 99_999].map(uncertain)).toEqual([
      20_000, 20_000, 50_000, 50_000, 100_000,
    ]);
    expect(uncertain(20_000_001)).toBe(20_037_509);
  });

  test('is nowhere without a position, whatever the region and the uncertainty', () => {
    const none = { latitude: null, longitude: null };
    expect(
      obscuredPlace({ ...none, coordinate_uncertainty: 5, location_id: 'world' }, regions),
    ).toEqual({ ...none, coordinate_uncertainty: null, location_id: null });
  });
});

describe('a general time', () => {
  test.each([
    ['2021', '2021', '2021'],
    ['2021-06', '2021-06', '2021'],
    ['2021-06-03', '2021-06', '2021'],
    ['2021-06-03T14:05', '2021-06', '2021'],
    ['2021-06-30T23:59:59.5-10:00', '2021-06', '2021'],
    ['2021-01-01T00:05+02:00', '2021-01', '2021'],
    ['2021-06-03/2021-06-05', '2021-06', '2021'],
    ['2021-06-03/2021-07-05', '2021-06/2021-07', '2021'],
    ['2020-12-31/2021-01-01', '2020-12', '2020'],
    ['2026-03-31T23:50/2026-04-01T00:10', '2026-03', '2026'],
    ['2021-05-31/2021-06-29', '2021-05', '2021'],
    ['2021-05-31/2021-06-30', '2021-05/2021-06', '2021'],
    ['2019-12-31/2020-12-31', '2019-12/2020-12', '2019/2020'],
    ['2020-12-31/2021-12-30', '2020-12/2021-12', '2020'],
    ['2021/2021-06-10', '2021/2021-06', '2021'],
    ['2021-06/2021-06-10', '2021-06', '2021'],
    ['2021-06-10/2021', '2021-06/2021', '2021'],
    ['2022-01-01T00:30+02:00/2021-12-31T23:00Z', '2022-01', '2022'],
    [null, null, null],
    [undefined, null, null],
  ])('of %s is the month %s, the year %s', (time, month, year) => {
    expect(generalTime(time, 'obscured')).toBe(month);
    expect(generalTime(time, 'private')).toBe(year);
  });
});

test('only those custom fields are public that are defined so', () => {
  const definition = (key: string, open: boolean) => ({ key, public_when_obscured: open }) as never;
  const definitions = [definition('herd', true), definition('tree', false), definition('x', true)];
  const values = { herd: 5, tree: 'the third', undefined: 1 };
  expect(publicCustomFields(values, definitions)).toEqual({ herd: 5 });
  expect(publicCustomFields(values, [])).toEqual({});
  expect(publicCustomFields(null, definitions)).toEqual({});
});
