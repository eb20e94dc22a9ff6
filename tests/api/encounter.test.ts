// @databases sqlite postgres
import { useWorld } from '../helpers/world';
import { testCreate } from './encounter/create';
import { testDelete } from './encounter/delete';
import { testRead } from './encounter/read';
import { testUpdate } from './encounter/update';

const world = useWorld();

describe('encounter, create', () => testCreate(world));
describe('encounter, read', () => testRead(world));
describe('encounter, update', () => testUpdate(world));
describe('encounter, delete', () => testDelete(world));
