import { sql, statementOf, type MadeChange, type Statement } from './sql';
import { ask, attempt, isSeveral, noting, sideBySide, tell, type Work } from './work';

const made = (id: string): MadeChange => ({ type: 'encounter', id, op: 'update', before: null });
const recording = (id: string): Statement => ({
  ...statementOf(sql`insert`),
  made: [made(id)],
});

/** Runs work of which no statement answers anything. @param fails the statement that throws */
function run(work: Work<unknown>, fails?: Statement): void {
  let step = work.next();
  while (!step.done) {
    const isFailing = fails !== undefined && step.value === fails;
    step = isFailing
      ? work.throw(new Error('refused'))
      : work.next(isSeveral(step.value) ? step.value.several.map(() => []) : []);
  }
}

function notedIn(work: () => Work<unknown>, fails?: Statement): string[] {
  const notes: MadeChange[] = [made('of a try before')];
  run(noting(work, notes), fails);
  return notes.map(({ id }) => id);
}

describe('the changes of work', () => {
  test('are noted in the order of their statements, side by side too', () => {
    const noted = notedIn(function* () {
      yield* ask(recording('a'));
      yield* tell(recording('b'));
      yield* sideBySide([ask(recording('c')), ask(recording('d'))], () => false);
      yield* ask(sql`select 1`);
    });
    expect(noted).toEqual(['a', 'b', 'c', 'd']);
  });

  test('are not noted of what is rolled back, in the whole or in a part of it', () => {
    const failing = statementOf(sql`update`);
    const noted = notedIn(function* () {
      yield* ask(recording('before'));
      yield* attempt(function* () {
        yield* ask(recording('outer'));
        yield* attempt(function* () {
          yield* ask(recording('inner'));
          yield* ask(failing);
        });
        yield* ask(recording('after'));
      });
    }, failing);
    expect(noted).toEqual(['before', 'outer', 'after']);
  });

  test('are not noted of a statement that fails', () => {
    const failing = recording('never');
    const noted = notedIn(function* () {
      yield* attempt(() => ask(failing));
    }, failing);
    expect(noted).toEqual([]);
  });
});
