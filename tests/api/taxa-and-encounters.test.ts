// @databases sqlite postgres
import { useWorld } from '../helpers/world';
import { testConcurrency } from './encounter/concurrency';
import { testCreate as testEncounterCreate } from './encounter/create';
import { testDelete as testEncounterDelete } from './encounter/delete';
import { testRead } from './encounter/read';
import { testUpdate as testEncounterUpdate } from './encounter/update';
import { testCreate as testTaxonCreate } from './taxonomy/create';
import { testDelete as testTaxonDelete } from './taxonomy/delete';
import { testUpdate as testTaxonUpdate } from './taxonomy/update';

const world = useWorld();

describe('taxonomy, create', () => testTaxonCreate(world));
describe('taxonomy, update', () => testTaxonUpdate(world));
describe('taxonomy, delete', () => testTaxonDelete(world));
describe('encounter, create', () => testEncounterCreate(world));
describe('encounter, read', () => testRead(world));
describe('encounter, update', () => testEncounterUpdate(world));
describe('encounter, delete', () => testEncounterDelete(world));
describe('encounters, together', () => testConcurrency(world));
