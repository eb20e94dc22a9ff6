// @databases sqlite postgres
import { useWorld } from '../helpers/world';
import { testEnds } from './sessions/ends';
import { testLogin } from './sessions/login';
import { testSessions } from './sessions/sessions';

const FRONTEND = 'http://frontend.example:3000';
const world = useWorld({ env: { FRONTEND_URL: FRONTEND } });

describe('login', () => testLogin(world, FRONTEND));
describe('sessions', () => testSessions(world, FRONTEND));
describe('the end of sessions', () => testEnds(world, FRONTEND));
