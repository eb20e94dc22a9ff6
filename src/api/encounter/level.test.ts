import Database from 'better-sqlite3';
import { raw, statementOf } from '../../plugins/objects/server/database/sql';
import {
  DEFAULT_SITE,
  LOCATION_PRIVACIES,
  type PrivacySettings,
} from '../../plugins/objects/server/site/settings';
import { codeIn, levelFrom, levelOfEncounter, levelOfIndividual, UNIDENTIFIED } from './level';

/** A taxon: its row ID, level and the strictest below it; its code. */
const TAXA = [
  { id: 1, level: 0, below: 0, code: 0 },
  { id: 2, level: 0, below: 2, code: UNIDENTIFIED },
  { id: 3, level: 1, below: 2, code: 1 },
  { id: 4, level: 2, below: 0, code: 2 },
  { id: 5, level: null, below: 0, code: 2 },
] as const;
const CHOICES = [null, ...TAXA];
const OWN = [null, ...LOCATION_PRIVACIES];

const sites: PrivacySettings[] = LOCATION_PRIVACIES.flatMap((defaultLocationPrivacy) =>
  [true, false].map((protectUnidentified) => ({
    ...DEFAULT_SITE,
    defaultLocationPrivacy,
    protectUnidentified,
  })),
);

const columns = {
  own: raw('e.location_privacy'),
  taxon: raw('e.taxonomy_id'),
  protectedAs: raw('e.protected_as_id'),
};

/** All combinations of what the level depends on, in a database of their own. */
function databaseOf(isAnyProtected: boolean): Database.Database {
  const database = new Database(':memory:');
  database.exec(`create table taxonomies (id integer primary key, location_privacy text, effective_privacy integer, protected_below integer);
    create table encounters (id integer primary key, location_privacy text, taxonomy_id integer, protected_as_id integer);`);
  const taxon = database.prepare('insert into taxonomies values (?, ?, ?, ?)');
  for (const { id, level, below } of TAXA) taxon.run(id, null, level, below);
  if (isAnyProtected) taxon.run(9, 'private', 2, 0);
  const encounter = database.prepare('insert into encounters values (null, ?, ?, ?)');
  for (const own of OWN)
    for (const one of CHOICES)
      for (const other of CHOICES) encounter.run(own, one?.id ?? null, other?.id ?? null);
  return database;
}

const codeOf = (id: number | null): number | null =>
  TAXA.find((one) => one.id === id)?.code ?? null;

describe.each([true, false])('while any taxon is protected: %s', (isAnyProtected) => {
  const database = databaseOf(isAnyProtected);
  afterAll(() => database.close());

  test('the level as SQL is the level as a function, for all that it depends on', () => {
    let compared = 0;
    for (const site of sites) {
      const level = statementOf(levelOfEncounter(columns, site)).sql.chunks.join('');
      const rows = database
        .prepare(
          `select e.location_privacy, e.taxonomy_id, e.protected_as_id, ${level} from encounters e`,
        )
        .raw()
        .all() as [string | null, number | null, number | null, number][];
      for (const [own, taxon, lent, found] of rows) {
        const facts = { own, taxon: codeOf(taxon), protectedAs: codeOf(lent), isAnyProtected };
        expect([site, facts, found]).toEqual([site, facts, levelFrom(facts, site)]);
        compared += 1;
      }
    }
    expect(compared).toBe(sites.length * OWN.length * CHOICES.length ** 2);
  });

  test('an individual has the level of an encounter with its taxon and nothing else', () => {
    for (const site of sites) {
      const level = statementOf(levelOfIndividual(raw('e.taxonomy_id'), site)).sql.chunks.join('');
      const rows = database
        .prepare(
          `select e.taxonomy_id, ${level} from encounters e where e.location_privacy is null and e.protected_as_id is null`,
        )
        .raw()
        .all() as [number | null, number][];
      expect(rows.map(([taxon, found]) => [taxon, found])).toEqual(
        rows.map(([taxon]) => {
          const facts = { own: null, taxon: codeOf(taxon), protectedAs: null, isAnyProtected };
          return [taxon, levelFrom(facts, site)];
        }),
      );
    }
  });
});

test.each<[own: unknown, taxon: number | null, protectedAs: number | null, level: number]>([
  [null, 0, null, 0],
  [null, 0, 1, 1],
  ['obscured', 0, 2, 1], // what is not open follows nothing
  [null, 1, 2, 1],
  [null, UNIDENTIFIED, null, 1],
  [null, UNIDENTIFIED, 2, 2],
  [null, 0, UNIDENTIFIED, 0], // its own taxon identifies it
  [null, null, UNIDENTIFIED, 1],
  [null, null, 0, 0],
  [null, null, null, 1],
  ['open', null, null, 1],
])('own %s, taxon %s, protected as %s: %d', (own, taxon, protectedAs, level) => {
  expect(levelFrom({ own, taxon, protectedAs, isAnyProtected: true }, DEFAULT_SITE)).toBe(level);
});

test('a code is one look-up at the row of a taxon', () => {
  expect(statementOf(codeIn('p')).sql.chunks.join('')).not.toContain('select');
});
