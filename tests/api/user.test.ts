// @databases sqlite postgres
import { useWorld } from '../helpers/world';
import { testCreate } from './user/create';
import { testDelete } from './user/delete';
import { testRead } from './user/read';
import { testSearch } from './user/search';
import { testUpdate } from './user/update';

const world = useWorld({ env: { LIMIT_REGISTRATIONS: '0' } });

// First: it knows all accounts that there are.
describe('user, search', () => testSearch(world));
describe('user, read', () => testRead(world));
describe('user, update', () => testUpdate(world));
describe('user, delete', () => testDelete(world));
// After the last administrator's: it makes a further one.
describe('user, create', () => testCreate(world));
