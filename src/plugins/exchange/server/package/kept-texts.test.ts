import { randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { meaning } from '../vocabularies/vocabulary';
import { Organisms } from './organisms';
import { parseName } from './scientific-name';

const PIECE = 128 * 1024;
const PIECES = 100;

test('what is remembered of a table does not keep the pieces in memory that it was read in', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heap = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const organisms = new Organisms();
  const read = (): void => {
    const piece = randomBytes(PIECE / 2).toString('hex');
    const id = piece.slice(100, 140);
    meaning('nobody', id);
    parseName(`Equus ${piece.slice(200, 240)}`, true);
    organisms.add('', { id, name: id, remarks: id, column: 'individualID' }, null, {
      file: 'observations.csv',
      line: 2,
      field: 'individualID',
    });
  };
  read();
  const before = heap();
  for (let at = 0; at < PIECES; at += 1) read();
  expect(heap() - before).toBeLessThan((PIECE * PIECES) / 10);
});
