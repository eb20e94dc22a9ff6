import { useWorld } from '../helpers/world';
import { testBodies } from './http/body';
import { testClosedPaths } from './http/closed-paths';
import { testETags } from './http/etag';
import { testHealth } from './http/health';
import { testInternalErrors } from './http/internal-errors';
import { testRouting } from './http/routing';

const world = useWorld();

describe('routing', () => testRouting(world));
describe('bodies', () => testBodies(world));
describe('entity tags', () => testETags(world));
describe('closed paths', () => testClosedPaths(world));
describe('internal errors', () => testInternalErrors(world));
describe('health checks', () => testHealth(world));
