// @databases sqlite postgres
import { useWorld } from '../helpers/world';
import { testCreate } from './taxonomy/create';
import { testDelete } from './taxonomy/delete';
import { testUpdate } from './taxonomy/update';

const world = useWorld();

describe('taxonomy, create', () => testCreate(world));
describe('taxonomy, update', () => testUpdate(world));
describe('taxonomy, delete', () => testDelete(world));
