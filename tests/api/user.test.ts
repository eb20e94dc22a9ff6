// @databases sqlite postgres
import { useWorld } from '../helpers/world';
import { testDelete } from './user/delete';
import { testSearch } from './user/search';
import { testUpdate } from './user/update';

const world = useWorld({});

describe('user, search', () => testSearch(world));
describe('user, update', () => testUpdate(world));
describe('user, delete', () => testDelete(world));
