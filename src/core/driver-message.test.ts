import { driverMessage } from './driver-message';

const sqlite = (message: string, code = 'SQLITE_ERROR'): Error =>
  Object.assign(new Error(message), { code });
const postgres = (message: string, code = '22P02'): Error =>
  Object.assign(new Error(message), { code, severity: 'ERROR' });

describe("a driver's message", () => {
  test.each([
    [sqlite('table oms_search_encounters has no column named cloud_cover')],
    [sqlite('no such table: oms_mails')],
    [sqlite('UNIQUE constraint failed: taxonomies.name_key', 'SQLITE_CONSTRAINT_UNIQUE')],
    [sqlite('NOT NULL constraint failed: encounters.state', 'SQLITE_CONSTRAINT_NOTNULL')],
    [postgres('column "cloud_cover" of relation "oms_search_encounters" does not exist', '42703')],
    [postgres('relation "oms_mails" does not exist', '42P01')],
    [postgres('duplicate key value violates unique constraint "taxonomies_name_key_uq"', '23505')],
    [
      postgres(
        'null value in column "name" of relation "orgs" violates not-null constraint',
        '23502',
      ),
    ],
  ])('names what is in the schema: %s', (error) => {
    expect(driverMessage(error)).toBe(error.message);
  });

  test.each([
    [postgres('invalid input syntax for type integer: "my secret"'), 'my secret'],
    [postgres('invalid input syntax for type integer: "a ""secret"" b"'), 'secret'],
    [postgres('invalid input syntax for type integer: "a column "secret" b"'), 'secret'],
    [postgres('value "4111111111111111" is out of range for type integer'), '4111'],
    [postgres('invalid byte sequence for encoding "UTF8": 0x00'), 'UTF8'],
    [sqlite('near "secret": syntax error'), 'secret'],
    [sqlite("unrecognized token: 'it''s secret'"), 'secret'],
    [sqlite('cannot store -17.25 in the column 4711'), '17'],
    [sqlite("insert into `t` (`a`) values ('a secret - x') - no such table: t"), 'secret'],
    [postgres('insert into "t" values ($1, \'a secret\') - relation "t" does not exist'), 'secret'],
    [postgres('value too long for type character varying(255)', '22001'), '255'],
  ])('has no value: %s', (error, secret) => {
    const said = driverMessage(error);
    expect(said).not.toBeNull();
    expect(said).not.toContain(secret);
  });

  test.each([
    new Error('without a code: secret'),
    Object.assign(new Error('secret'), { code: 'ENOENT' }),
    Object.assign(new Error('secret'), { code: 'XX000' }),
    Object.assign(new Error('secret'), { code: 5, severity: 'ERROR' }),
  ])('is that of a driver alone: %s', (error) => {
    expect(driverMessage(error)).toBeNull();
  });
});
