import { ApiError } from './errors';
import { Admission, type Transfer, type AdmissionSize } from './admission';

interface Visit {
  readonly transfer: Transfer;
  readonly name: string;
}

/** An admission whose clock a test sets, and the transfers that were evicted. */
function admissionOf(size: AdmissionSize) {
  const gone: string[] = [];
  let now = 0;
  const admission = new Admission(size, () => now);
  return {
    gone,
    pass: (milliseconds: number): void => void (now += milliseconds),
    /** A transfer, whose origin is the first letter of its name, lets nobody wait. */
    enter: (name: string): Visit => {
      const transfer = admission.enter(name[0] ?? '');
      transfer.whenFull(() => gone.push(name));
      transfer.itsTurn();
      return { transfer, name };
    },
  };
}

/** What a transfer sends, after which it is its turn again. */
function send({ transfer }: Visit, bytes: number): void {
  transfer.moved(bytes);
  transfer.itsTurn();
}

function refusal(action: () => unknown): unknown {
  try {
    action();
    return null;
  } catch (error) {
    return error instanceof ApiError ? [error.key, error.headers['Retry-After']] : error;
  }
}

const FULL = ['UNAVAILABLE', '10'];
const size = { places: 4, placesOfOne: 3 };

describe('an admission', () => {
  test('that is full sends away the slowest of who has most', () => {
    const { enter, pass, gone } = admissionOf(size);
    const [b, ...ofA] = ['b1', 'a1', 'a2', 'a3'].map((name) => enter(name));
    pass(5000);
    [30, 10, 20].forEach((bytes, n) => send(ofA[n] as Visit, bytes));
    send(b as Visit, 1);
    enter('c1');
    expect(gone).toEqual(['a2']);
    // Nobody has more than the next one would have.
    expect(refusal(() => enter('b2'))).toEqual(FULL);
    enter('d1');
    expect(gone).toEqual(['a2', 'a3']);
    expect(refusal(() => enter('e1'))).toEqual(FULL);
    expect(gone).toHaveLength(2);
  });

  test('that is full sends away who stands still', () => {
    const { enter, pass, gone } = admissionOf(size);
    const all = ['a1', 'b1', 'c1', 'd1'].map((name) => enter(name));
    pass(9999);
    expect(refusal(() => enter('e1'))).toEqual(FULL);
    for (const one of [0, 1, 3]) send(all[one] as Visit, 1);
    pass(1);
    enter('e1');
    expect(gone).toEqual(['c1']);
  });

  test('lets in no more of one than it may have, unless one of them stands still', () => {
    const { enter, pass, gone } = admissionOf(size);
    const [first] = ['a1', 'a2', 'a3'].map((name) => enter(name));
    expect(refusal(() => enter('a4'))).toEqual(FULL);
    pass(10_000);
    send(first as Visit, 1);
    enter('a4');
    expect(gone).toEqual(['a2']);
  });

  test('does not take the time in which it lets a transfer wait for its slowness', () => {
    const { enter, pass, gone } = admissionOf(size);
    const [first, second] = ['a1', 'a2', 'b1', 'c1'].map((name) => enter(name));
    first?.transfer.moved(10);
    second?.transfer.moved(20);
    second?.transfer.itsTurn();
    pass(60_000);
    enter('d1');
    expect(gone).toEqual(['a2']);
  });

  test('sends nobody away who cannot be', () => {
    const { enter } = admissionOf(size);
    for (const name of ['a1', 'a2', 'b1']) enter(name);
    const { transfer } = enter('a3');
    transfer.settle();
    transfer.leave();
    transfer.leave();
    const admission = new Admission(size);
    for (const origin of ['a', 'a', 'b', 'c']) admission.enter(origin);
    expect(refusal(() => admission.enter('d'))).toEqual(FULL);
  });

  test('frees the place of who has sent all, and its bytes when it leaves', () => {
    const { enter, gone } = admissionOf({ ...size, bytes: () => 100 });
    const all = ['a1', 'b1', 'c1', 'd1'].map((name) => enter(name));
    for (const one of all.slice(0, 2)) {
      send(one, 45);
      one.transfer.settle();
    }
    const further = enter('e1');
    send(further, 10);
    expect(gone).toEqual([]);
    all[0]?.transfer.leave();
    send(further, 40);
    expect(gone).toEqual([]);
    send(all[2] as Visit, 6);
    expect(gone).toEqual(['e1']);
  });

  test('keeps half of its bytes for one at most', () => {
    const { enter, gone } = admissionOf({ ...size, bytes: () => 100 });
    const [first, second] = ['a1', 'a2'].map((name) => enter(name));
    send(first as Visit, 20);
    send(second as Visit, 30);
    expect(gone).toEqual([]);
    send(second as Visit, 1);
    expect(gone).toEqual(['a1']);
    send(second as Visit, 20);
    expect(gone).toEqual(['a1', 'a2']);
  });
});
