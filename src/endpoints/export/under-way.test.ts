import { UnderWay } from './under-way';

const refused = expect.objectContaining({ key: 'UNAVAILABLE' }) as unknown;

function refusal(action: () => unknown): unknown {
  try {
    action();
    return null;
  } catch (error) {
    return error;
  }
}

test('a caller has two exports under way, and another one when one of them has ended', () => {
  const exports = new UnderWay();
  const leave = exports.enter('a');
  exports.enter('a');
  expect(refusal(() => exports.enter('a'))).toEqual(refused);
  exports.enter('b');
  leave();
  leave();
  exports.enter('a');
  expect(refusal(() => exports.enter('a'))).toEqual(refused);
});

test('all callers together have eight', () => {
  const exports = new UnderWay();
  const leaving = ['a', 'b', 'c', 'd'].flatMap((one) => [exports.enter(one), exports.enter(one)]);
  expect(refusal(() => exports.enter('e'))).toEqual(refused);
  for (const leave of leaving) leave();
  expect(refusal(() => exports.enter('e'))).toBeNull();
});
