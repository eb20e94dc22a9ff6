import { runInNewContext } from 'node:vm';
import { andThen } from './soon';

const fail = (): never => {
  throw new Error('x');
};

test('what is there goes on at once', () => {
  expect(andThen(1, (value) => value + 1)).toBe(2);
  expect(() => andThen(1, fail)).toThrow('x');
});

test('what comes later goes on later', async () => {
  const later = andThen(Promise.resolve(1), (value) => value + 1);
  expect(later).toBeInstanceOf(Promise);
  expect(await later).toBe(2);
  await expect(andThen(Promise.resolve(1), fail)).rejects.toThrow('x');
});

test('what comes later may be of another realm', async () => {
  const foreign = runInNewContext('Promise.resolve(1)') as Promise<number>;
  expect(foreign).not.toBeInstanceOf(Promise);
  expect(await andThen(foreign, (value) => value + 1)).toBe(2);
});
