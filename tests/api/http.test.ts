import { useWorld } from '../helpers/world';
import { testBodies } from './http/body';
import { testClosedPaths } from './http/closed-paths';
import { testCompression } from './http/compression';
import { testETags } from './http/etag';
import { testHealth } from './http/health';
import { testInternalErrors } from './http/internal-errors';
import { testOpenApi } from './http/openapi';
import { testRouting } from './http/routing';

const world = useWorld();

describe('the OpenAPI document and what follows from it', () => testOpenApi(world));
describe('routing', () => testRouting(world));
describe('bodies', () => testBodies(world));
describe('entity tags', () => testETags(world));
describe('large answers', () => testCompression(world));
describe('closed paths', () => testClosedPaths(world));
describe('internal errors', () => testInternalErrors(world));
describe('health checks', () => testHealth(world));
