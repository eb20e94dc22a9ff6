// @databases sqlite postgres
import { useWorld } from '../helpers/world';
import { testConcurrency } from './encounter/concurrency';
import { testCreate as testEncounterCreate } from './encounter/create';
import { testDays } from './encounter/days';
import { testDelete as testEncounterDelete } from './encounter/delete';
import { testDistance } from './encounter/distance';
import { testRead } from './encounter/read';
import { testUpdate as testEncounterUpdate } from './encounter/update';
import { testCreate as testTaxonCreate } from './taxonomy/create';
import { testDelete as testTaxonDelete } from './taxonomy/delete';
import { testFolding } from './taxonomy/folding';
import { testKingdoms } from './taxonomy/kingdoms';
import { testSynonyms } from './taxonomy/synonyms';
import { testUpdate as testTaxonUpdate } from './taxonomy/update';

const world = useWorld();

describe('taxonomy, create', () => testTaxonCreate(world));
describe('taxonomy, update', () => testTaxonUpdate(world));
describe('taxonomy, delete', () => testTaxonDelete(world));
describe('taxonomy, kingdoms', () => testKingdoms(world));
describe('taxonomy, synonyms', () => testSynonyms(world));
describe('names and words in other spellings', () => testFolding(world));
describe('encounter, create', () => testEncounterCreate(world));
describe('encounter, read', () => testRead(world));
describe('encounter, update', () => testEncounterUpdate(world));
describe('encounter, delete', () => testEncounterDelete(world));
describe('encounters, together', () => testConcurrency(world));
describe('the order by distance', () => testDistance(world));
describe('times of encounters', () => testDays(world));
