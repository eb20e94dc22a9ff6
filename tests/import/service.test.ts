// @databases sqlite postgres
import { useService } from '../helpers/service';
import { testArchives } from './service/archive';
import { testImport } from './service/package';
import { testRoundTrip } from './service/round-trip';
import { testWriteAll } from './service/write-all';

const service = useService({ listen: false });

describe('writing in bulk', () => testWriteAll(service));
describe('an import', () => testImport(service));
describe('an import of an archive', () => testArchives(service));
describe('an archive of ours', () => testRoundTrip(service));
