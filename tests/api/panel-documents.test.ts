// @databases sqlite postgres
import { startPanel, type Panel } from '../helpers/panel';
import { testDeletions } from './panel-documents/deletions';
import { testForms } from './panel-documents/forms';
import { testLists } from './panel-documents/lists';
import { testLongLists } from './panel-documents/long-lists';
import { testQueries } from './panel-documents/queries';
import { testSearches } from './panel-documents/searches';
import { testService } from './panel-documents/service';
import { testSiteSettings } from './panel-documents/site-settings';

const FRONTEND_URL = 'https://frontend.example.org';

let panel: Panel;
beforeAll(async () => {
  panel = await startPanel({ FRONTEND_URL });
});
afterAll(async () => {
  await panel?.service.close();
});
const started = (): Panel => panel;

// First: it knows all documents that there are.
describe('lists of the panel', () => testLists(started));
describe('documents of Strapi', () => testService(started));
describe('the site settings in the panel', () => testSiteSettings(started, FRONTEND_URL));
describe('forms of the panel', () => testForms(started));
describe('deletions in the panel', () => testDeletions(started));
describe('queries of the panel', () => testQueries(started));
describe('searches of the panel', () => testSearches(started));
// Last: it makes very many documents.
describe('long lists of the panel', () => testLongLists(started));
