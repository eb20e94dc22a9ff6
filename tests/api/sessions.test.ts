// @databases sqlite postgres
import { useWorld } from '../helpers/world';
import { testEnds } from './sessions/ends';
import { testLogin } from './sessions/login';
import { testSessions } from './sessions/sessions';
import { testThrottle } from './sessions/throttle';
import { testTokens } from './sessions/tokens';

const FRONTEND = 'http://frontend.example:3000';
const world = useWorld({ env: { FRONTEND_URL: FRONTEND } });

const service = () => world().service;

describe('login', () => testLogin(world, FRONTEND));
describe('sessions', () => testSessions(world, FRONTEND));
describe('the end of sessions', () => testEnds(world, FRONTEND));
describe('counts', () => testThrottle(service));
describe('tokens', () => testTokens(service));
