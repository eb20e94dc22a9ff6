// @databases sqlite postgres
import { asObject, at, type Json } from '../helpers/json';
import { startPanel, type Panel } from '../helpers/panel';
import { testDeletions } from './panel-documents/deletions';
import { testEvents } from './panel-documents/events';
import { testForms } from './panel-documents/forms';
import { testHomonyms } from './panel-documents/homonyms';
import { testLists } from './panel-documents/lists';
import { testLongLists } from './panel-documents/long-lists';
import { testQueries } from './panel-documents/queries';
import { testSearches } from './panel-documents/searches';
import { testService } from './panel-documents/service';
import { testSiteSettings } from './panel-documents/site-settings';

const FRONTEND_URL = 'https://frontend.example.org';

let panel: Panel;
let settings: Json;
beforeAll(async () => {
  panel = await startPanel({ FRONTEND_URL });
  const url = '/content-manager/single-types/api::site-settings.site-settings';
  settings = asObject(at((await panel.ask('GET', url)).body, 'data'));
});
afterAll(async () => {
  await panel?.service.close();
});
const started = (): Panel => panel;

describe('lists of the panel', () => testLists(started));
describe('documents of Strapi', () => testService(started));
describe('events of changes', () => testEvents(started));
describe('the site settings in the panel', () =>
  testSiteSettings(started, FRONTEND_URL, () => settings));
describe('forms of the panel', () => testForms(started));
describe('names of two kingdoms in the panel', () => testHomonyms(started));
describe('deletions in the panel', () => testDeletions(started));
describe('queries of the panel', () => testQueries(started));
describe('searches of the panel', () => testSearches(started));
describe('long lists of the panel', () => testLongLists(started));
