/** Serves the page that creates the first administrator. */
import type { Core } from '@strapi/strapi';
import { malformed, ApiError } from '../../../../core/errors';
import { textsAtInputs, textOf } from '../../../../core/messages';
import { inspectJson } from '../../../../core/text';
import { wireOf } from '../../../wire/server';
import { formPage, type PageAnswer } from '../../../wire/server/pages/form-page';
import type { PageInputs } from '../../../wire/server/pages/frame';
import { FIRST_PATH, isFirstSecret, makeFirstAdministrator } from './first-administrator';
import { askPage, donePage, failedPage, noPage } from './page';

/**
 * Adds the page in front of Strapi, so that no middleware of Strapi sees the form. To be called in
 * `register`.
 */
export function addFirstPage(strapi: Core.Strapi): void {
  const page = {
    show: async (token: string): Promise<PageAnswer> =>
      (await isFirstSecret(strapi, token))
        ? { status: 200, html: askPage(FIRST_PATH, token, {}, {}) }
        : NO,
    submit: (token: string, form: PageInputs) => submit(strapi, token, form),
    failed: failedPage,
  };
  wireOf(strapi).addPage(
    FIRST_PATH,
    formPage(strapi, 'the first administrator', () => page),
  );
}

const NO: PageAnswer = { status: 404, html: noPage() };

async function submit(strapi: Core.Strapi, token: string, form: PageInputs): Promise<PageAnswer> {
  const { name = '', email = '', password = '', password_again: again } = form;
  if (!(await isFirstSecret(strapi, token))) return NO;
  const refused = (faults: PageInputs): PageAnswer => ({
    status: 400,
    html: askPage(FIRST_PATH, token, { name, email }, faults),
  });
  if (again !== password) return refused({ password_again: 'The two passwords differ.' });
  try {
    const forbidden = inspectJson({ name, email, password });
    if (forbidden.length > 0) throw malformed(forbidden);
    await makeFirstAdministrator(strapi, { name, email, password }, token);
    return { status: 200, html: donePage() };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    if (error.key === 'TOKEN_INVALID') return NO;
    return refused(
      error.invalid.length > 0 ? textsAtInputs({}, error.invalid) : { '': textOf(error) },
    );
  }
}
