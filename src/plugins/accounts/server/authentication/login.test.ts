import { delayAfter } from './login';

test.each([
  [0, 0],
  [1, 0],
  [10, 0],
  [11, 250],
  [12, 500],
  [29, 4750],
  [30, 5000],
  [31, 5000],
  [1_000_000, 5000],
])('after %d tries from everywhere the answer waits %d ms', (tries, delay) => {
  expect(delayAfter(tries)).toBe(delay);
});
