import type { Answer } from '../../helpers/http';
import { at, parsed } from '../../helpers/json';

/** Words without a letter, digit or symbol. @param search answers a query over encounters */
export function testNoWords(search: (query: string) => Promise<Answer>): void {
  const totalOf = async (query: string): Promise<number> =>
    Number(at(parsed((await search(query)).text), 'response', 'total'));

  test.each([
    ['170,-20,190,10', '170,-20,-170,10'],
    ['-190,-20,-170,10', '170,-20,-170,10'],
    ['394,-3,395.5,-1', '34,-3,35.5,-1'],
    ['-360,-90,360,90', '-180,-90,180,90'],
  ])('a box beyond the date line, %s, goes on round the world: %s', async (beyond, within) => {
    const found = async (bbox: string): Promise<unknown> =>
      at(parsed((await search(`limit=1000&bbox=${bbox}`)).text), 'matches');
    expect(await found(beyond)).toEqual(await found(within));
    expect(await found(beyond)).not.toEqual([]);
  });

  test.each(['***', '!!!', '%25', '%20'])(
    'words without a word find nothing, whatever stands beside them: %s',
    async (words) => {
      for (const beside of [
        'limit=0',
        'sort=-time',
        'time_min=0001',
        'bbox=-180,-90,180,90',
        'near=0,0,25000',
        'taxonomy=null',
        'sex=male,female',
        'state=approved&sort=time&limit=1',
      ]) {
        expect([beside, (await totalOf(beside)) > 0]).toEqual([beside, true]);
        expect([beside, await totalOf(`${beside}&q=${words}`)]).toEqual([beside, 0]);
      }
    },
  );
}
