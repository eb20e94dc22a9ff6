import { authorizationOf } from '../../helpers/callers';
import { documentsOf } from '../../helpers/documents';
import { uuid } from '../../helpers/ids';
import { play, type Expectation, type Scenario } from '../../helpers/scenario';
import type { World } from '../../helpers/world';

/** Of several faults of one request, the first in the order of the contract is told. */
export function describeOrder(world: () => World): void {
  const ZEBRA = uuid(1);

  beforeAll(() =>
    documentsOf(world().service, 'api::taxonomy.taxonomy').create({
      data: { documentId: ZEBRA, scientificName: 'Equus quagga' },
    }),
  );

  /** What can be wrong with a request, in the order in which section 3 of the contract has it checked. */
  const FAULTS = [
    ['path', { status: 404, key: 'PATH_NOT_FOUND' }],
    ['method', { status: 405, key: 'METHOD_NOT_ALLOWED' }],
    ['size', { status: 413, key: 'BODY_TOO_LARGE' }],
    ['media type', { status: 415, key: 'MEDIA_TYPE_NOT_ACCEPTED' }],
    ['JSON', { status: 400, key: 'MALFORMED', invalid: [['', 'FORMAT', { expected: 'json' }]] }],
    ['credentials', { status: 400, key: 'MALFORMED', invalid: [['authorization', 'CONFLICT']] }],
    ['site', { status: 403, key: 'CROSS_SITE' }],
    ['session', { status: 401, key: 'SESSION_ENDED' }],
    ['entity', { status: 402, key: 'ENTITY_NOT_FOUND' }],
    ['permission', { status: 403, key: 'NOT_PERMITTED' }],
    ['version', { status: 412, key: 'VERSION_MISMATCH' }],
    ['fields', { status: 400, key: 'MALFORMED', invalid: [['nope', 'UNKNOWN']] }],
  ] as const satisfies readonly (readonly [string, Expectation])[];
  type FaultName = (typeof FAULTS)[number][0];

  const names: readonly FaultName[] = FAULTS.map(([name]) => name);

  function bodyWith(faults: ReadonlySet<FaultName>): string {
    if (faults.has('size')) return ' '.repeat(1024 * 1024 + 1);
    if (faults.has('JSON')) return '{';
    return faults.has('fields') ? '{"nope": 1}' : '{}';
  }

  /** What a request shows of who asks: the session of someone who may, may not, or of nobody. */
  function sessionWith(faults: ReadonlySet<FaultName>): Record<string, string> {
    const role = faults.has('permission') ? 'user' : 'moderator';
    const known = String(authorizationOf(role)['Authorization']).slice('Bearer '.length);
    const secret = faults.has('session') ? 'nobody' : known;
    return {
      ...(faults.has('site')
        ? { Origin: 'https://stranger.example' }
        : { 'Sec-Fetch-Site': 'same-origin' }),
      Cookie: `oms_session=${secret}`,
      Authorization: `Bearer ${faults.has('credentials') ? 'another' : secret}`,
    };
  }

  /** An update of a taxon with these faults in it. */
  function requestWith(...given: readonly FaultName[]): Omit<Scenario, 'expect'> {
    const faults = new Set(given);
    const id = faults.has('entity') ? uuid(0xdead) : ZEBRA;
    return {
      name: given.join(' and '),
      as: 'anonymous',
      method: faults.has('method') ? 'PATCH' : 'PUT',
      url: faults.has('path') ? '/api/v0/nothing' : `/api/v0/taxonomy/${id}`,
      raw: bodyWith(faults),
      headers: {
        ...sessionWith(faults),
        'Content-Type': faults.has('media type') ? 'text/plain' : 'application/json',
        ...(faults.has('version') ? { 'If-Match': '"99"' } : {}),
      },
    };
  }

  describe('of the faults of a request', () => {
    test('there are none without one', async () => {
      await play(world(), { ...requestWith(), expect: { status: 200 }, unchanged: true });
    });

    test.each(FAULTS)('%s alone is reported', async (name, expected) => {
      await play(world(), { ...requestWith(name), expect: expected });
    });

    const pairs = FAULTS.flatMap(([first, expected], position) =>
      names.slice(position + 1).map((second) => [first, second, expected] as const),
    );
    test.each(pairs)('%s is reported before %s', async (first, second, expected) => {
      await play(world(), { ...requestWith(first, second), expect: expected });
    });

    test.each(FAULTS.map(([name, expected], position) => [name, position, expected] as const))(
      '%s is told before all that comes later',
      async (_, position, expected) => {
        await play(world(), { ...requestWith(...names.slice(position)), expect: expected });
      },
    );

    test.each([
      ['size', { status: 413, key: 'BODY_TOO_LARGE' }],
      ['media type', { status: 415, key: 'MEDIA_TYPE_NOT_ACCEPTED' }],
      ['site', { status: 403, key: 'CROSS_SITE' }],
      ['session', { status: 401, key: 'SESSION_ENDED' }],
      ['entity', { status: 402, key: 'ENTITY_NOT_FOUND' }],
      ['permission', { status: 403, key: 'NOT_PERMITTED' }],
      ['version', { status: 412, key: 'VERSION_MISMATCH' }],
    ] as const)('%s is told before a parameter that is unknown', async (name, expected) => {
      const request = requestWith(name);
      await play(world(), { ...request, url: `${request.url}?nope=1`, expect: expected });
    });
  });
}
