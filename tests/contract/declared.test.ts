// @databases sqlite postgres
import { useWorld } from '../helpers/world';
import { testFields } from './declared/fields';
import { testReader } from './declared/reader';

const world = useWorld({ anonymousActsAs: 'administrator', env: { LIMIT_READS: '0' } });

describe('fields', () => testFields(world));
describe('reading', () => testReader(world));
