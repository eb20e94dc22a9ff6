// @databases sqlite postgres
// @long
import { testDatabase } from '../helpers/database';
import { useService } from '../helpers/service';
import { testArchives } from './service/archive';
import { testCases } from './service/cases';
import { testForms } from './service/forms';
import { testImport } from './service/package';
import { testRoundTrip } from './service/round-trip';
import { testRoundTrips } from './service/round-trips';
import { testTwoAnimals } from './service/two-animals';
import { testWriteAll } from './service/write-all';

const service = useService({ listen: false });

describe('writing in bulk', () => testWriteAll(service));
describe('an import', () => testImport(service));
describe('the cases', () => testCases(service));
describe('an import of two animals on one photograph', () => testTwoAnimals(service));
describe('an archive of ours', () => testRoundTrip(service));

// What files mean is read before anything is written, on either database.
if (testDatabase === 'sqlite') {
  describe('an import of an archive', () => testArchives(service));
  describe('archives of others', () => testForms(service));
  describe('round trips', () => testRoundTrips(service));
}
