// @long
import { startClientService, type ClientService } from '../helpers/client/service';
import { testAnswers } from './client/answers';
import { testBatches } from './client/batches';
import { testDocuments } from './client/documents';
import { testEndurance } from './client/endurance';
import { testMessages } from './client/messages';
import { testOutbox } from './client/outbox';
import { testReports } from './client/reports';
import { testSearches } from './client/searches';
import { testSessions } from './client/sessions';
import { testUploads } from './client/uploads';

/** The package `clients/typescript`, against the service over HTTP, through a proxy that cuts connections. */
let service: ClientService;
beforeAll(async () => {
  service = await startClientService();
  const { http, answerTo } = await service.administrator();
  const body = { anonymous_encounters: true, review_encounters: true };
  await answerTo(http.PUT('/api/v0/site_settings', { body }));
});
afterAll(() => service?.close());
afterEach(() => service.cutter.calm());

const given = (): ClientService => service;

describe('sessions', () => testSessions(given));
describe('answers', () => testAnswers(given));
describe('searches', () => testSearches(given));
describe('photographs', () => testUploads(given));
describe('batches', () => testBatches(given));
describe('messages', () => testMessages(given));
describe('reports', () => testReports(given));
describe('the outbox', () => testOutbox(given));
describe('the documents', () => testDocuments(given));
describe('the endurance of the outbox', () => testEndurance(given));
