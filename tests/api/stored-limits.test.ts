// @databases sqlite postgres
import { useService } from '../helpers/service';
import { testThrottle } from './stored-limits/throttle';
import { testTokens } from './stored-limits/tokens';

const service = useService({ listen: false });

describe('counts', () => testThrottle(service));
describe('tokens', () => testTokens(service));
