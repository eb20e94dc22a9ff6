import { idsOf } from '../../helpers/ids';
import { at, parsed } from '../../helpers/json';
import { play, runScenarios, type Scenario } from '../../helpers/scenario';
import type { World } from '../../helpers/world';

const uuid = idsOf(3);

/** Entity tags and conditional requests, on a shared service. */
export function testETags(world: () => World): void {
  const SEEN = uuid(1);
  const url = `/api/v0/encounter/${SEEN}`;

  beforeAll(async () => {
    await world().create('encounter', { id: SEEN, locality: 'here' });
    await world().update('encounter', SEEN, { locality: 'there' });
    await world().update('encounter', SEEN, { locality: 'here' });
  });

  async function etagOf(query = ''): Promise<string> {
    return String((await world().send({ method: 'GET', url: url + query })).headers.etag);
  }

  describe('ETag', () => {
    test('is strong, begins with the version, and stays as long as the object', async () => {
      const etag = await etagOf();
      expect(etag).toMatch(/^"3-[\w-]+"$/);
      expect(await etagOf()).toBe(etag);
      expect((await world().send({ method: 'HEAD', url })).headers.etag).toBe(etag);
    });

    test('moves with the object, and not when a change changes nothing', async () => {
      const id = await world().create('encounter');
      const tag = async (): Promise<unknown> =>
        (await world().send({ method: 'GET', url: `/api/v0/encounter/${id}` })).headers.etag;
      const first = await tag();
      await world().update('encounter', id, {});
      expect(await tag()).toBe(first);
      await world().update('encounter', id, { remarks: 'x' });
      const second = await tag();
      expect(second).not.toBe(first);
      await world().update('encounter', id, { remarks: null });
      expect([first, second]).not.toContain(await tag());
    });

    test('requires revalidation of the answer', async () => {
      const { headers } = await world().send({ method: 'GET', url });
      expect(headers['cache-control']).toBe('private, no-cache');
    });

    test('is there for reads of objects alone', async () => {
      for (const request of [
        { method: 'PUT', url, body: {} },
        { method: 'POST', url: '/api/v0/encounter', body: {} },
        { method: 'GET', url: '/api/v0/encounter/x' },
      ])
        expect((await world().send(request)).headers.etag).toBeUndefined();
    });
  });

  describe('If-None-Match', () => {
    const known: readonly [string, (tag: string) => string][] = [
      ['the tag', (tag) => tag],
      ['the tag, weak', (tag) => `W/${tag}`],
      ['a list with the tag in it', (tag) => `"a", W/"b" ,${tag}`],
      ['any', () => '*'],
    ];
    test.each(known)(
      'answers 304 to %s, with its headers and without a body',
      async (_, header) => {
        const etag = await etagOf();
        for (const method of ['GET', 'HEAD']) {
          await play(world(), {
            name: 'known',
            method,
            url,
            headers: { 'If-None-Match': header(etag) },
            expect: {
              status: 304,
              headers: { etag, 'cache-control': 'private, no-cache', 'content-type': null },
            },
          });
        }
      },
    );

    const unknown: readonly [string, (tag: string) => string][] = [
      ['another tag', () => '"3-abc"'],
      ['the version alone', () => '"3"'],
      ['the tag without quotes', (tag) => tag.slice(1, -1)],
      ['half of the tag', (tag) => `${tag.slice(0, -3)}"`],
      ['nothing', () => ''],
      ['rubbish', () => '"'],
    ];
    test.each(unknown)('answers the object to %s', async (_, header) => {
      await play(world(), {
        name: 'unknown',
        method: 'GET',
        url,
        headers: { 'If-None-Match': header(await etagOf()) },
        expect: { status: 200, response: { id: SEEN } },
      });
    });

    test('depends on the parameters of the answer', async () => {
      const whole = await etagOf();
      const cut = await etagOf('?fields=id');
      expect(cut).not.toBe(whole);
      await play(world(), {
        name: 'another cut',
        method: 'GET',
        url: `${url}?fields=id`,
        headers: { 'If-None-Match': whole },
        expect: { status: 200, response: { id: SEEN } },
      });
      await play(world(), {
        name: 'the same cut',
        method: 'GET',
        url: `${url}?fields=id`,
        headers: { 'If-None-Match': cut },
        expect: { status: 304 },
      });
    });

    test('answers 402 where there is nothing', async () => {
      await play(world(), {
        name: 'absent',
        method: 'GET',
        url: `/api/v0/encounter/${uuid(0xdead)}`,
        headers: { 'If-None-Match': '*' },
        expect: { status: 402, key: 'ENTITY_NOT_FOUND' },
      });
    });

    test('means nothing to a change', async () => {
      await play(world(), {
        name: 'change',
        method: 'PUT',
        url,
        headers: { 'If-None-Match': '*' },
        body: {},
        expect: { status: 200 },
      });
    });
  });

  describe('If-Match', () => {
    const scenario = (name: string, header: string, expected: Scenario['expect']): Scenario[] =>
      (['PUT', 'DELETE'] as const).map((method) => ({
        name: `${method}: ${name}`,
        method,
        url,
        headers: { 'If-Match': header },
        ...(method === 'PUT' ? { body: { locality: 'elsewhere' } } : {}),
        expect: expected,
      }));
    const moved = {
      status: 412,
      key: 'VERSION_MISMATCH',
      args: { version: 3 },
      headers: { etag: null },
    };
    const malformed = {
      status: 400,
      key: 'MALFORMED',
      invalid: [['if-match', 'FORMAT', { expected: 'etag' }]] as const,
    };

    runScenarios(world, [
      ...scenario('an older version has moved on', '"2"', moved),
      ...scenario('so has a newer one', '"4"', moved),
      ...scenario('whatever the hash behind it', '"2-abc"', moved),
      ...scenario('and weak', 'W/"2-abc"', moved),
      ...scenario('a list without the version', '"1", "2-abc",W/"4"', moved),
      ...scenario('a version that none has', '"0"', moved),
      ...[
        '3',
        '"',
        '""',
        '"x"',
        '"3-"',
        'w/"3"',
        '"3" "4"',
        '"-3"',
        '"3.0"',
        '"3", x',
        '',
        '"3",',
      ].flatMap((header) => scenario(`"${header}" is no tag`, header, malformed)),
      ...scenario(
        'the tag of one who may not update has no version',
        '"Zm9vYmFyYmF6Zm9vYmFyYmF6Zm8"',
        malformed,
      ),
    ]);

    test.each<[string, (version: number, tag: string) => string]>([
      ['the ETag', (_, tag) => tag],
      ['the ETag, weak', (_, tag) => `W/${tag}`],
      ['the version alone', (version) => `"${version}"`],
      ['the version with another hash', (version) => `"${version}-other"`],
      ['a list with the version in it', (version) => `"1", "${version}"`],
      ['any', () => '*'],
      ['any, with a blank', () => ' * '],
    ])('lets %s pass', async (_, header) => {
      const id = await world().create('encounter');
      const one = `/api/v0/encounter/${id}`;
      await world().update('encounter', id, { remarks: 'a' });
      for (const [version, method] of [
        [2, 'PUT'],
        [3, 'DELETE'],
      ] as const) {
        const { headers } = await world().send({ method: 'GET', url: one });
        await play(world(), {
          name: method,
          method,
          url: one,
          headers: { 'If-Match': header(version, String(headers.etag)) },
          ...(method === 'PUT' ? { body: { remarks: 'b' } } : {}),
          expect: { status: 200, response: { id } },
        });
      }
    });

    test('compares the version, though the record is given back as it was', async () => {
      await play(world(), {
        name: 'as it was in version 1',
        method: 'PUT',
        url,
        headers: { 'If-Match': '"1"' },
        body: { locality: 'here' },
        expect: moved,
      });
    });

    test('lets one of ten writers through who saw the same version', async () => {
      const id = await world().create('encounter');
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          world().send({
            method: 'PUT',
            url: `/api/v0/encounter/${id}`,
            headers: { 'If-Match': '"1"' },
            body: { locality: `writer ${n}` },
          }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([
        200,
        ...Array<number>(9).fill(412),
      ]);
      const refused = answers.find(({ status }) => status === 412);
      expect(at(parsed(refused?.text ?? ''), 'message', 'args')).toEqual({ version: 2 });
      expect(await world().read('encounter', id)).toMatchObject({ version: 2 });
    });

    runScenarios(world, [
      {
        name: 'comes after the question whether there is anything',
        method: 'PUT',
        url: `/api/v0/encounter/${uuid(0xdead)}`,
        headers: { 'If-Match': '"1"' },
        body: {},
        expect: { status: 402, key: 'ENTITY_NOT_FOUND' },
      },
      {
        name: 'malformed comes after the question whether there is anything, too',
        method: 'PUT',
        url: `/api/v0/encounter/${uuid(0xdead)}`,
        headers: { 'If-Match': 'x' },
        body: {},
        expect: { status: 402, key: 'ENTITY_NOT_FOUND' },
      },
      {
        name: 'comes before the fields',
        method: 'PUT',
        url,
        headers: { 'If-Match': '"1"' },
        body: { nope: 1 },
        expect: moved,
      },
      {
        name: 'malformed is reported together with the faults of fields',
        method: 'PUT',
        url,
        headers: { 'If-Match': 'x' },
        body: { nope: 1 },
        expect: {
          status: 400,
          key: 'MALFORMED',
          invalid: [
            ['if-match', 'FORMAT'],
            ['nope', 'UNKNOWN'],
          ],
        },
      },
      {
        name: 'means nothing to a create',
        method: 'POST',
        url: '/api/v0/encounter',
        headers: { 'If-Match': '"99"' },
        body: {},
        expect: { status: 200 },
      },
    ]);
  });
}
