import { makeOperator } from '../helpers/panel';
import { useService } from '../helpers/service';
import { testAccounts } from './panel-accounts/accounts';
import { testPasswords } from './panel-accounts/passwords';
import { testProfile } from './panel-accounts/profile';
import { testRoutes } from './panel-accounts/routes';
import { testTypes } from './panel-accounts/types';

const service = useService();
beforeAll(() => makeOperator(service()));

describe('the routes of the panel', () => testRoutes(service));
describe('the types of the panel', () => testTypes(service));
describe('passwords of panel users', () => testPasswords(service));
describe('accounts in the panel', () => testAccounts(service));
describe('the profile page', () => testProfile(service));
