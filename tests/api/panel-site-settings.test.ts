import { frontendOf } from '#app/plugins/accounts/server/frontends';
import { fieldTexts, startPanel, type Panel, type PanelAnswer } from '../helpers/panel';
import { until } from '../helpers/post-office';

let panel: Panel;
beforeAll(async () => {
  panel = await startPanel();
});
afterAll(async () => {
  await panel?.service.close();
});

test('the address of the frontend has neither a query nor a slash in the links', async () => {
  const save = (frontendUrl: string): Promise<PanelAnswer> =>
    panel.ask('PUT', '/content-manager/single-types/api::site-settings.site-settings', {
      frontendUrl,
    });
  for (const wrong of ['https://map.example.org/?x=1', 'https://map.example.org/#a'])
    expect(Object.keys(fieldTexts(await save(wrong)) ?? {})).toEqual(['frontendUrl']);
  expect((await save('https://map.example.org/app/')).status).toBe(200);
  await until('the setting counts', () => frontendOf(panel.service.strapi).includes('map'));
  expect(frontendOf(panel.service.strapi)).toBe('https://map.example.org/app');
});
