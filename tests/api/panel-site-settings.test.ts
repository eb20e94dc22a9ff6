import { frontendOf } from '#app/plugins/accounts/server/frontends';
import { send } from '../helpers/http';
import { at } from '../helpers/json';
import { fieldTexts, startPanel, type Panel, type PanelAnswer } from '../helpers/panel';
import { until } from '../helpers/post-office';

let panel: Panel;
beforeAll(async () => {
  panel = await startPanel();
});
afterAll(async () => {
  await panel?.service.close();
});

const settings = '/content-manager/single-types/api::site-settings.site-settings';

test.each<[string, unknown]>([
  ['languages', Array<string>(101).fill('en')],
  ['allowedOrigins', [`https://${'a'.repeat(250)}.example`]],
  ['defaultLanguage', 'a'.repeat(256)],
])('%s are few, and short', async (name, value) => {
  const answer = await panel.ask('PUT', settings, { [name]: value });
  expect(Object.keys(fieldTexts(answer) ?? {})).toEqual([name]);
});

test('the settings have the ID that Strapi gives them', async () => {
  const wanted = 'x'.repeat(1000);
  const saved = await panel.ask('PUT', settings, { documentId: wanted, languages: ['en'] });
  expect(saved.status).toBe(200);
  expect(at(saved.body, 'data', 'documentId')).toMatch(/^\w{24}$/);
});

test('the address of the frontend has neither a query nor a slash in the links', async () => {
  const save = (frontendUrl: string): Promise<PanelAnswer> =>
    panel.ask('PUT', settings, {
      frontendUrl,
    });
  for (const wrong of ['https://map.example.org/?x=1', 'https://map.example.org/#a'])
    expect(Object.keys(fieldTexts(await save(wrong)) ?? {})).toEqual(['frontendUrl']);
  expect((await save('https://map.example.org/app/')).status).toBe(200);
  await until('the setting counts', () => frontendOf(panel.service.strapi) !== null);
  expect(frontendOf(panel.service.strapi)).toBe('https://map.example.org/app');

  // An input that is emptied is no address: whoever comes from a page is answered as before.
  expect((await save('')).status).toBe(200);
  await until('the setting counts', () => frontendOf(panel.service.strapi) === null);
  const headers = { Origin: 'https://map.example.org' };
  const answer = await send(panel.service.url, { method: 'GET', url: '/api/v0/session', headers });
  expect(answer.status).toBe(401);
});
