// @databases sqlite postgres
import { useService } from '../helpers/service';
import { testImport } from './service/package';
import { testWriteAll } from './service/write-all';

const service = useService({ listen: false });

describe('writing in bulk', () => testWriteAll(service));
describe('an import', () => testImport(service));
