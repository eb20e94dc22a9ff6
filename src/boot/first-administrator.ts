import type { Core } from '@strapi/strapi';
import {
  FIRST_PATH,
  hasAdministrator,
  issueFirstSecret,
  makeFirstAdministrator,
} from '../plugins/panel/server/first-administrator/first-administrator';
import { ApiError } from '../core/errors';
import { textsAtInputs, textOf } from '../core/messages';
import type { Environment } from './environment';
import { StartError } from '../core/start-error';

const VARIABLES = { email: 'OMS_ADMIN_EMAIL', password: 'OMS_ADMIN_PASSWORD' } as const;

/**
 * While there is no administrator, creates the one that the environment names, or prints how to create one. Runs before
 * the port opens, so that nobody else can be first.
 *
 * @throws StartError when the account of the environment cannot be created
 */
export async function prepareFirstAdministrator(
  strapi: Core.Strapi,
  { administrator, publicUrl }: Pick<Environment, 'administrator' | 'publicUrl'>,
): Promise<void> {
  if (await hasAdministrator(strapi)) return;
  if (administrator) return makeNamed(strapi, administrator);
  if (!strapi.config.get<boolean>('oms.listens', true)) return;
  const secret = await issueFirstSecret(strapi);
  const announce = strapi.config.get<Announce | undefined>('oms.announce') ?? print;
  announce(`
There is no administrator yet. Whoever opens this link first becomes it:

  ${publicUrl}${FIRST_PATH}?token=${secret}

`);
}

type Announce = (text: string) => void;

const print: Announce = (text) => {
  process.stdout.write(text);
};

async function makeNamed(
  strapi: Core.Strapi,
  administrator: { readonly email: string; readonly password: string },
): Promise<void> {
  try {
    await makeFirstAdministrator(strapi, { ...administrator, name: 'Administrator' });
  } catch (error) {
    // Another server that started at the same time was first.
    if (error instanceof ApiError && error.key === 'TOKEN_INVALID') return;
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    const faults = Object.entries(textsAtInputs(VARIABLES, error.invalid));
    const texts = faults.map(([variable, text]) => `${variable}: ${text}`).join(' ');
    throw new StartError(`The first administrator cannot be created. ${texts || textOf(error)}`);
  }
}
