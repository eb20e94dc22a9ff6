/** The panel's profile page, which changes the account. */
import type { Core } from '@strapi/strapi';
import { errors } from '@strapi/utils';
import { objectsOf } from '../../../objects/server';
import { defineBody } from '../../../objects/server/validate/request-body';
import type { Body } from '../../../objects/server/declare/objects';
import { inspectJson } from '../../../../core/text';
import { ApiError } from '../../../../core/errors';
import { textsAtInputs, textOf } from '../../../../core/messages';
import type { Caller } from '../../../../core/caller';
import { MAX_PASSWORD, MIN_PASSWORD } from '../../../../core/formats';
import {
  replaceController,
  type Controller,
  type PanelContext,
  type PanelUser,
  type UserService,
} from '../strapi-internals';
import { asStrapiError, atInputs, setHeaders } from '../strapi-errors';
import { accountsOf } from '../../../accounts/server';
import { rejectCommon } from '../../../accounts/server/passwords/policy';
import { panelCaller } from './panel-caller';

/** The inputs of the form; all are texts. */
const INPUTS = [
  'firstname',
  'lastname',
  'username',
  'email',
  'password',
  'currentPassword',
  'preferedLanguage',
] as const;
type Profile = Partial<Record<(typeof INPUTS)[number], string | null>>;

/** The inputs at which the form shows the issues of fields. */
const SHOWN_AT = { name: 'firstname', current_password: 'currentPassword' } as const;

const PROOF_WANTED = 'Type your current password.';

const NEW_PASSWORD = defineBody({
  password: {
    kind: 'secret',
    minLength: MIN_PASSWORD,
    maxLength: MAX_PASSWORD,
    rejects: rejectCommon,
    description: 'The new password.',
  },
});

/** Replaces Strapi's profile actions; the session determines the account. To be called in `register`. */
export function replaceProfile(strapi: Core.Strapi): void {
  replaceController<Controller<'updateMe'>>(
    strapi,
    'admin::authenticated-user',
    ({ updateMe }) => ({
      async updateMe(ctx) {
        const user = ctx.state.user as PanelUser;
        const caller = await panelCaller(strapi);
        if (caller.id === null) return updateMe(ctx);
        ctx.body = { data: await change(strapi, ctx, caller, user) };
      },
    }),
  );
}

async function change(
  strapi: Core.Strapi,
  ctx: PanelContext,
  caller: Caller,
  user: PanelUser,
): Promise<object> {
  const profile = profileOf(ctx.request.body);
  try {
    await changeAccount(strapi, caller, profile, user);
  } catch (error) {
    setHeaders(ctx, error);
    throw explained(error);
  }
  const where = { id: user.id };
  const query = strapi.db.query('admin::user');
  if (profile.preferedLanguage !== undefined)
    await query.update({ where, data: { preferedLanguage: profile.preferedLanguage } });
  const users = strapi.service('admin::user') as unknown as UserService;
  return users.sanitizeUser(await query.findOne({ where, populate: ['roles'] }));
}

async function changeAccount(
  strapi: Core.Strapi,
  caller: Caller,
  profile: Profile,
  user: PanelUser,
): Promise<void> {
  const { password, currentPassword } = profile;
  const isNew = Boolean(password);
  const body = bodyOf(profile, user);
  let hash: string | null = null;
  if (isNew) {
    const { password: checked } = NEW_PASSWORD.check({ password });
    if (!currentPassword) throw atInputs({ currentPassword: 'This is required.' });
    hash = await accountsOf(strapi).hasher().hash(String(checked), caller);
  }
  const set = hash === null ? {} : { password: hash };
  const change = { op: 'update', type: 'user', id: String(caller.id), body, set } as const;
  await objectsOf(strapi).write(change, caller);
}

/** An account has one name, which is shown in the first of the form's two inputs. */
function bodyOf(profile: Profile, user: PanelUser): Body {
  const { email, username, currentPassword } = profile;
  const names = [profile.firstname ?? user.firstname, profile.lastname ?? user.lastname];
  return {
    name: names.filter(Boolean).join(' '),
    ...(email ? { email } : {}),
    ...(username === undefined ? {} : { username: username === '' ? null : username }),
    ...(currentPassword ? { current_password: currentPassword } : {}),
  };
}

function explained(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  if (error.key === 'PASSWORD_WRONG') return atInputs({ currentPassword: textOf(error) });
  const wantsProof = error.invalid.some(
    ({ path, key }) => path === 'current_password' && key === 'REQUIRED',
  );
  if (!wantsProof) return asStrapiError(error, SHOWN_AT);
  return atInputs({ ...textsAtInputs(SHOWN_AT, error.invalid), currentPassword: PROOF_WANTED });
}

/** @throws ValidationError for fields that the form does not send */
function profileOf(body: unknown): Profile {
  const values = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  const known: readonly string[] = INPUTS;
  const wrong = values.filter(
    ([name, value]) => !known.includes(name) || (value !== null && typeof value !== 'string'),
  );
  const forbidden = inspectJson(body).map(({ path }) => path);
  const [first] = [...wrong.map(([name]) => name), ...forbidden];
  if (first !== undefined) throw new errors.ValidationError(`${first} is not right.`);
  return Object.fromEntries(values);
}
