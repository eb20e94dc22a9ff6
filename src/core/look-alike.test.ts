import { foldAlike } from './look-alike';

test.each([
  ['T1', 'Т1'],
  ['т1', 'Т1'],
  ['Nala', 'Nаlа'],
  ['NALA', 'ΝАLА'],
  ['IRIS', 'ІRІS'],
  ['F-12', 'F–12'],
  ['F-12', 'f‑12'],
  ['F-12', 'F—12'],
  ['F-12', 'F−12'],
  ["O'Malley", 'O’Malley'],
  ["O'Malley", 'OʻMalley'],
  ["O'Malley", 'O´Malley'],
  ['Big ear', 'Big ear'],
  ['Straße', 'STRAßE'],
])('%s is compared as %s', (one, other) => {
  expect(foldAlike(one)).toBe(foldAlike(other));
});

test.each([
  ['F1', 'FI'],
  ['F1', 'Fl'],
  ['F10', 'F1O'],
  ['m2', 'rn2'],
  ['F-12', 'F 12'],
  ['F-12', 'F12'],
  ['José', 'Jose'],
  ['Bjørn', 'Bjorn'],
  ['зебра', 'зерба'],
  ['斑马', '斑鸟'],
])('%s is another name than %s', (one, other) => {
  expect(foldAlike(one)).not.toBe(foldAlike(other));
});
